"""The vocabulary of Mnemoscene and its rules: pure values, no clock, no randomness, no environment, no network."""
