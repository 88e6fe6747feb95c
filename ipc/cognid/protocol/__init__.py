"""The bridge, seen from both ends: the messages, outcomes, errors and bounds of the wire."""
