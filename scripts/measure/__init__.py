"""What scripts/evaluate, scripts/bench and scripts/demo are made of. Never installed."""
