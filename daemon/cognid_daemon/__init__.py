"""The process."""
