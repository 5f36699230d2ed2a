"""Reading rules for Chinese."""
