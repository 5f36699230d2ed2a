"""Language model and embedder for OpenAI-compatible endpoints; the only package that knows a vendor's API."""
