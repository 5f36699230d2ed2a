"""OpenAI-compatible model and embedder; the only package that knows a vendor."""
