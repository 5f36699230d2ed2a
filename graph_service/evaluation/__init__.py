"""Measure recall on data sets: `mnemograph eval`."""
