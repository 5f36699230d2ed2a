"""The life cycle of sessions, and the short-term window of recent turns."""
