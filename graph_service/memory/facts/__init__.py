"""Bitemporal facts: claims, validity periods, conflicts, rows."""
