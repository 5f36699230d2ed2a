"""Bitemporal facts: claims, validity, conflicts, rows."""
