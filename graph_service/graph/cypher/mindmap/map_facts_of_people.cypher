// The top facts of users and agents in a large memory, in the order of map_facts. Facts between entities are many more; they are loaded
// when a viewer expands a node. Index user_tenant, memory_user.
// Finds the rank of the last row by the leading sort keys first, then reads the other properties only of facts above it.
// $tenant: str
// $users: list of user ids
// $rows_max: int
// -> edges
CALL () {
  MATCH (s:User {tenant: $tenant})
  WHERE s.user_id IN $users
  MATCH (s)-[r:{{predicates}}]->(:Memory)
  WITH r.strength - CASE WHEN {{current r}} THEN 0 ELSE 2 END AS rank
  ORDER BY rank DESC
  LIMIT $rows_max
  RETURN min(rank) AS least
}
MATCH (s:User {tenant: $tenant})
WHERE s.user_id IN $users
MATCH (s)-[r:{{predicates}}]->(o:Memory)
WHERE r.strength - CASE WHEN {{current r}} THEN 0 ELSE 2 END >= least
WITH s, r, o, size(coalesce(r.evidence, [])) AS evidence_n
ORDER BY CASE WHEN {{current r}} THEN 0 ELSE 1 END, r.strength DESC, r.last_seen DESC, evidence_n DESC, r.id
LIMIT $rows_max
RETURN collect([
  r.id, s.id, o.id, type(r), r.user_id, r.relation, r.strength, r.confidence, evidence_n,
  r.first_seen.epochSeconds * 1000000 + r.first_seen.microsecond,
  r.last_seen.epochSeconds * 1000000 + r.last_seen.microsecond,
  r.valid_at.epochSeconds * 1000000 + r.valid_at.microsecond,
  r.invalid_at.epochSeconds * 1000000 + r.invalid_at.microsecond,
  coalesce(r.known_at, r.recorded_at).epochSeconds * 1000000 + coalesce(r.known_at, r.recorded_at).microsecond,
  r.closing_known_at.epochSeconds * 1000000 + r.closing_known_at.microsecond,
  r.kind, r.statement
]) AS edges
