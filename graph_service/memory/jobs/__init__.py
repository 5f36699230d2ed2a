"""The outbox of background jobs: claims, leases, retries, dead letters."""
