"""Sentences, words, names and scripts of a text, without knowing what it says."""
