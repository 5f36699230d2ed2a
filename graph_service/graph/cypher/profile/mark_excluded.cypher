// Marks facts that are not in the profile any more, or are again; the facts themselves stay as they are. Unique index memory_id.
// The edges of the subject are gone through once: a search for each of many would take the square of their number.
// $tenant: str
// $id: str, the user or agent
// $facts: list of fact ids
// $out: map of fact id to why it is out; null for what is in the profile
// -> subject_id, object_id, predicate, properties
MATCH (a:Memory {tenant: $tenant, id: $id})-[r:{{predicates}}]->(b:Memory)
WHERE r.tenant = $tenant AND r.id IN $facts
SET r.profile_out = $out[r.id]
RETURN a.id AS subject_id, b.id AS object_id, type(r) AS predicate, r {.*, embedding: null} AS properties
ORDER BY r.id
