"""The conversations and questions of `mnemograph demo`."""
