"""The change log: numbered changes of the graph, for viewers."""
