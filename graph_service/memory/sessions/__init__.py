"""Life of sessions, and the short-term window of recent turns."""
