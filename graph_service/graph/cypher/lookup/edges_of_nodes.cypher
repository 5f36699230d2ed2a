// All facts and mentions of some nodes. Unique index memory_id.
// $tenant: str
// $ids: list of str
// -> subject_id, object_id, predicate, properties
UNWIND $ids AS id
MATCH (n:Memory {tenant: $tenant, id: id})-[r]-(:Memory)
WITH DISTINCT r
RETURN startNode(r).id AS subject_id, endNode(r).id AS object_id, type(r) AS predicate, r {.*, embedding: null} AS properties
ORDER BY r.id
