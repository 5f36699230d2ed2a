"""Sentences, words, names and scripts of a text, independent of its content."""
