"""Embedders, token vectors and late interaction."""
