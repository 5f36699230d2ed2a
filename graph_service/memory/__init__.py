"""The use cases: take messages in, digest them, recall, show."""
