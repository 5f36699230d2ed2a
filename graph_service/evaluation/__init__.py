"""Measure recall on data sets: `mnemoscene eval`."""
