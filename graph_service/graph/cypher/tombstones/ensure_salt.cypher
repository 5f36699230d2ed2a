// The secret salt of a tenant's tombstones; created once. No row: the tenant does not exist.
// $tenant: str
// $salt: str
// -> salt, tombstone_tenant
MATCH (t:Tenant {id: $tenant})
SET t.salt = coalesce(t.salt, $salt)
RETURN t.salt AS salt, t.tombstone_tenant AS tombstone_tenant
