// Write tombstones of forgotten elements; they contain no text.
// $tenant: str
// $rows: list of {id, kind, user_node_id, at_ms}, ordered by id
// -> id
UNWIND $rows AS row
MERGE (x:Tombstone {tenant: $tenant, id: row.id})
SET x.kind = row.kind, x.user_node_id = row.user_node_id, x.at_ms = row.at_ms
RETURN x.id AS id
