"""Whether two names mean the same: spelling, nicknames, kinship, places."""
