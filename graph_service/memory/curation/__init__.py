"""Facts that people state, correct and close."""
