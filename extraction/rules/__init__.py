"""Extract facts by rules, without a model: one engine, and a table of rules for each language."""
