"""Public peers beside the daemon: the same texts, the same questions, the same vectors, one run."""
