// All API keys of all tenants, valid ones first. The key determines the tenant of a request, so there is no tenant filter.
// At most $rows_max rows; index access_key_id.
// hot
// $rows_max: int
// -> key
MATCH (k:AccessKey)
WHERE k.id > ''
RETURN k {.id, .name, .tenant, .role, .hash, .created_at, .expires_at, .revoked_at, .requests_per_s} AS key
ORDER BY k.revoked_at IS NOT NULL, k.created_at, k.id
LIMIT $rows_max
