"""Which entity a name means; merges of entities."""
