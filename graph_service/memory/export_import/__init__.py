"""A tenant as a file, out and in."""
