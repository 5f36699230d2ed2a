"""Check an installation and back it up."""
