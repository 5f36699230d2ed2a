"""The conversations and questions of `mnemoscene demo`."""
