"""Numbered changes of the map, for viewers."""
