"""Extraction rules for English."""
