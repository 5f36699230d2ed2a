"""Memory as text for a prompt, within a number of tokens."""
