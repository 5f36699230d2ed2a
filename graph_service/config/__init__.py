"""Settings: the sections, their sources, and which folders are trusted."""
