"""The tools of Mnemoscene itself."""
