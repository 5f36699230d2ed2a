"""Read facts by rules, without a model: one engine, one table of rules for each language."""
