// Delete facts without existing evidence; skip those that got evidence meanwhile.
// $tenant: str
// $rows: list of {node, id}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (:Memory {tenant: $tenant, id: row.node})-[f {id: row.id}]->(:Memory)
WHERE f.merged IS NULL AND NOT EXISTS { MATCH (m:Message {tenant: $tenant}) WHERE m.id IN f.evidence }
WITH f, f.id AS id
DELETE f
RETURN id
