"""Delete messages, facts, entities and users with everything derived from them."""
