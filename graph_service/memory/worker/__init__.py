"""The background worker and the jobs it runs."""
