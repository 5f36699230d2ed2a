// Facts of a node, strongest first, without mentions. Unique index memory_id.
// $tenant: str
// $id: str
// $rows_max: int
// -> fact, evidence, quotes
MATCH (n:Memory {tenant: $tenant, id: $id})-[r]-(:Memory)
WHERE type(r) <> 'MENTIONED'
WITH DISTINCT r
ORDER BY r.strength DESC, r.last_seen DESC, r.id
LIMIT $rows_max
WITH r, startNode(r) AS s, endNode(r) AS o
RETURN r {.id, .relation, .statement, .strength, .confidence, .invalid_at, predicate: type(r),
          subject_label: coalesce(s.name, s.user_id), object_label: coalesce(o.name, o.user_id)} AS fact,
       coalesce(r.evidence, []) AS evidence, coalesce(r.quotes, []) AS quotes
