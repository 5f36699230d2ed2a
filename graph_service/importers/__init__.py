"""Memories of other programs, as calls of `remember`, with a report of what was kept and what was left out."""
