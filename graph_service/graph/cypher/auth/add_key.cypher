// Store the hash of a new API key. $tenant is null for a key that is valid for every tenant.
// $id: str
// $tenant: str or null
// $row: {name, role, hash, created_at, expires_at, requests_per_s}
// -> id
CREATE (k:AccessKey {id: $id, tenant: $tenant})
SET k += $row
RETURN k.id AS id
