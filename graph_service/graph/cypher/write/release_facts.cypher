// Puts facts on the map exactly as they were said.
// $tenant: str
// $rows: list of {id, subject_id, object_id}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (h:HeldFact {tenant: $tenant, subject_id: row.subject_id}) WHERE h.id = row.id
MATCH (a:Memory {tenant: $tenant, id: row.subject_id})
MATCH (b:Memory {tenant: $tenant, id: row.object_id})
CREATE (a)-[r:$(h.predicate)]->(b)
SET r = properties(h)
SET r.subject_id = null, r.object_id = null, r.predicate = null
DELETE h
RETURN r.id AS id
