// The last sequence numbers of a tenant, of changes and of positions; epoch '' and 0 while the tenant does not exist. One row; unique index tenant_id.
// $tenant: str
// -> epoch, seq, places
// hot
OPTIONAL MATCH (t:Tenant {id: $tenant})
RETURN coalesce(t.epoch, '') AS epoch, coalesce(t.seq, 0) AS seq, coalesce(t.places_seq, 0) AS places
