// Let items with a time to live expire that much later than now. Index item_id.
// $tenant: str
// $ids: list of str, ordered
// $now_ms: int
// -> id, expires_ms
UNWIND $ids AS id
MATCH (i:Item {tenant: $tenant, id: id}) WHERE i.ttl_ms IS NOT NULL AND i.expires_ms > $now_ms
SET i.expires_ms = $now_ms + i.ttl_ms
RETURN i.id AS id, i.expires_ms AS expires_ms
