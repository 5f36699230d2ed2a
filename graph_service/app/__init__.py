"""Compose the service and serve it over HTTP."""
