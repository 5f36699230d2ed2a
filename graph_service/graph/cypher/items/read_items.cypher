// Items by id; expired ones are left out. Index item_id.
// hot
// $tenant: str
// $ids: list of str
// $now_ms: int
// -> id, namespace, key, value, version, created_at, updated_at, expires_ms, ttl_ms
UNWIND $ids AS id
MATCH (i:Item {tenant: $tenant, id: id}) WHERE i.version IS NOT NULL AND (i.expires_ms IS NULL OR i.expires_ms > $now_ms)
RETURN i.id AS id, i.namespace AS namespace, i.key AS key, i.value AS value, i.version AS version, i.created_at AS created_at,
       i.updated_at AS updated_at, i.expires_ms AS expires_ms, i.ttl_ms AS ttl_ms
