"""Match names: spelling, nicknames, kinship, places."""
