"""The map that viewers see: snapshots, details, exploration, communities."""
