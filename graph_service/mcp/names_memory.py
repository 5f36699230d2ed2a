"""Tools with the names that the official memory server has."""

MEMORY = ()
