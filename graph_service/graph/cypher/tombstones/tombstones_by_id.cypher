// Existing tombstones among some ids. Unique index tombstone_id.
// hot
// $tenant: str
// $ids: list of str
// -> id, at_ms
UNWIND $ids AS id
MATCH (x:Tombstone {tenant: $tenant, id: id})
RETURN x.id AS id, x.at_ms AS at_ms
