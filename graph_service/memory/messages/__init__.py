"""The log of messages: pages of any length, and single messages, each with the facts that it proves and closed."""
