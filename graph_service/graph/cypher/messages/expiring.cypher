// Messages that expire until a time, in this order; of long texts the first part. Index message_expiry.
// hot
// $exclude_tenants: list of str
// $until_ms: int
// $rows_max: int
// -> tenant, user_id, id, expires_ms
MATCH (m:Message) WHERE m.expires_ms <= $until_ms AND m.part_of IS NULL AND NOT m.tenant IN $exclude_tenants
RETURN m.tenant AS tenant, m.user_id AS user_id, m.id AS id, m.expires_ms AS expires_ms
ORDER BY m.expires_ms LIMIT $rows_max
