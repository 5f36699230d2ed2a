"""The provider: any API compatible with that of OpenAI. The only package that knows a vendor."""
