"""Measure recall on everyday memories: `mnemoscene eval`."""
