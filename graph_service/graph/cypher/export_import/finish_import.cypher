// Says of a tenant what its import says of it, and that it is complete. Index tenant_id.
// $tenant: str
// $properties: map of tenant properties
// -> seq
MATCH (t:Tenant {id: $tenant})
SET t += $properties, t.importing = null
RETURN t.seq AS seq
