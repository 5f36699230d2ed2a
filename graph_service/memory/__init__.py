"""The use cases: store messages, extract facts from them, recall, and show the graph."""
