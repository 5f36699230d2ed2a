// Facts with evidence in a scene, and the scene's causes, strongest first. Unique index memory_id.
// $tenant: str
// $id: str
// $rows_max: int
// -> fact, evidence, quotes
MATCH (n:Memory:Scene {tenant: $tenant, id: $id})
CALL (n) {
  MATCH (n)-[:MENTIONED]->(:Memory)-[r]-(:Memory)
  WHERE type(r) <> 'MENTIONED' AND n.id IN r.scenes
  RETURN r
  UNION
  MATCH (n)-[r:CAUSED_BY]-(:Memory)
  RETURN r
}
WITH DISTINCT r
ORDER BY r.strength DESC, r.last_seen DESC, r.id
LIMIT $rows_max
WITH r, startNode(r) AS s, endNode(r) AS o
RETURN r {.id, .relation, .statement, .strength, .confidence, .invalid_at, predicate: type(r),
          subject_label: coalesce(s.name, s.user_id), object_label: coalesce(o.name, o.user_id)} AS fact,
       coalesce(r.evidence, []) AS evidence, coalesce(r.quotes, []) AS quotes
