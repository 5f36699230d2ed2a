"""Facts about the user that always hold a place in the context."""
