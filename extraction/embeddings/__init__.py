"""Vectors of texts and of their words, computed here or by a provider."""
