// The server's time. Not scoped to a tenant.
// -> now_ms
RETURN datetime.realtime().epochMillis AS now_ms
