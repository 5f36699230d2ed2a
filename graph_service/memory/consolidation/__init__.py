"""Consolidate unread messages into scenes and facts, in one commit."""
