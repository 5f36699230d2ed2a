"""The tools of Mnemograph itself."""
