// The last sequence number of a tenant; epoch '' and seq 0 while the tenant does not exist. One row; unique index tenant_id.
// $tenant: str
// -> epoch, seq
// hot
OPTIONAL MATCH (t:Tenant {id: $tenant})
RETURN coalesce(t.epoch, '') AS epoch, coalesce(t.seq, 0) AS seq
