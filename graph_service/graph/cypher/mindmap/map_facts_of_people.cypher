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
RETURN collect([{{map_edge r}}]) AS edges
