// Mark facts as excluded from the profile, or included again. Unique index memory_id.
// Expands the subject once: a lookup per fact would take the square of their number.
// $tenant: str
// $id: str, the user or agent
// $facts: list of fact ids
// $reasons: map of fact id to the reason of the exclusion; null includes it
// -> subject_id, object_id, predicate, properties
MATCH (a:Memory {tenant: $tenant, id: $id})-[r:{{predicates}}]->(b:Memory)
WHERE r.tenant = $tenant AND r.id IN $facts
SET r.profile_exclusion = $reasons[r.id]
RETURN a.id AS subject_id, b.id AS object_id, type(r) AS predicate, r {.*, embedding: null} AS properties
ORDER BY r.id
