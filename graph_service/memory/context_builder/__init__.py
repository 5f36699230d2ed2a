"""Memory as text for a prompt, within a token budget."""
