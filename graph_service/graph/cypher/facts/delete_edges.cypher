// Delete relationships of some nodes.
// $tenant: str
// $rows: list of {node_id, id}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (:Memory {tenant: $tenant, id: row.node_id})-[r]->(:Memory) WHERE r.id = row.id
WITH r, r.id AS id
DELETE r
RETURN id
