// The secret salt of a tenant's tombstones; created once. No row: the tenant does not exist.
// $tenant: str
// $salt: str
// $create: bool, create the tenant if it does not exist
// -> salt, tombstone_tenant
FOREACH (_ IN CASE WHEN $create THEN [1] ELSE [] END |
  MERGE (n:Tenant {id: $tenant}) ON CREATE SET n.seq = 0, n.epoch = left(randomUUID(), 8), n.created_at = datetime())
WITH 1 AS one
MATCH (t:Tenant {id: $tenant})
SET t.salt = coalesce(t.salt, $salt)
RETURN t.salt AS salt, t.tombstone_tenant AS tombstone_tenant
