"""Extraction rules for Chinese."""
