"""The mind map: snapshots, element details, exploration, communities."""
