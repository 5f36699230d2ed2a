// What time the server has. No tenant has a time of its own.
// -> now_ms
RETURN datetime.realtime().epochMillis AS now_ms
