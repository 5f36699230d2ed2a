"""Reading rules for English."""
