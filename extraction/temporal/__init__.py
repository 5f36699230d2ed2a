"""Time expressions in six languages, resolved to intervals."""
