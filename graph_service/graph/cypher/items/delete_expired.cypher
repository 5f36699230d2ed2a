// Delete a batch of expired items of all tenants. Index item_expiry.
// hot
// $exclude_tenants: list of str
// $now_ms: int
// $rows_max: int
// -> items
MATCH (i:Item) WHERE i.expires_ms <= $now_ms AND NOT i.tenant IN $exclude_tenants
WITH i LIMIT $rows_max
DELETE i
RETURN count(*) AS items
