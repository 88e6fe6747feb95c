"""Cognid, a local-first memory daemon for agents: the caller's side of its socket."""

__version__ = "0.1.0"
