// Extend a lease; no row if it was lost.
// hot
// $tenant: str
// $id: str
// $lease: str
// $lease_until_ms: int
// -> id
MATCH (j:Job {tenant: $tenant, id: $id}) WHERE j.lease = $lease
SET j.lease_until_ms = $lease_until_ms
RETURN j.id AS id
