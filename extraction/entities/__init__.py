"""Match names by spelling, nicknames, kinship terms and places."""
