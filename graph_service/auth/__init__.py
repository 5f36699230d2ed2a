"""Authentication, authorization, rate limits and the audit log."""
