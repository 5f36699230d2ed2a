"""Resolve names to entities; merge and split entities."""
