"""Import files of other programs and of conversations as calls of `remember`."""
