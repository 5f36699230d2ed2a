"""Settings, their sources, and the trust in working directories."""
