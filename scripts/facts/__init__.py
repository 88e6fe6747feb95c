"""Sentences to train the scored model with, written by us and multiplied by a grammar."""
