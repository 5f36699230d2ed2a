// Writes edges that follow from the facts of merged entities; every property is as given, what is not given goes.
// $tenant: str
// $rows: list of {id, subject_id, object_id, predicate, properties}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (a:Memory {tenant: $tenant, id: row.subject_id})
MATCH (b:Memory {tenant: $tenant, id: row.object_id})
MERGE (a)-[r:$(row.predicate) {tenant: $tenant, id: row.id}]->(b)
SET r = row.properties
RETURN r.id AS id
