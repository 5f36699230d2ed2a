"""Summaries of scenes and sessions (layers L0 to L2)."""
