"""The profile of a user or agent, and Core Memory, which is in every context."""
