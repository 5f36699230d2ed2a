"""Delete messages, facts, entities and users with all that follows from them."""
