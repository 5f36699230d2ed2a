"""Read conversation files and exports of other programs into calls of `remember`."""
