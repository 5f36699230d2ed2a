"""Who may do what: keys and tokens, roles, rates, and the log of who did it."""
