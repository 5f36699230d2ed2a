"""The vocabulary of Mnemograph and its rules: pure values, no clock, no randomness, no environment, no network."""
