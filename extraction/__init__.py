"""Information extraction from text, without a database."""
