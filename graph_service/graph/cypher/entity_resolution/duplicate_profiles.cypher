// Entities of some users with their neighbours, most recently mentioned first. Index memory_user.
// $tenant: str
// $users: list of str
// $rows_max: int
// $ties_max: int, neighbours per entity
// -> id, user_id, name, aliases, entity_type, members, ties
// ties: lists of predicate, relation or null, id of the neighbour; without users and agents, which are connected to everything.
MATCH (e:Memory:Entity) WHERE e.tenant = $tenant AND e.user_id IN $users
WITH e ORDER BY e.last_seen DESC, e.id LIMIT $rows_max
CALL (e) {
  MATCH (e)-[r:{{predicates}}]-(x:Entity) WHERE r.tenant = $tenant
  WITH r, x ORDER BY r.id LIMIT $ties_max
  RETURN collect([type(r), r.relation, x.id]) AS ties
}
OPTIONAL MATCH (h:MemberEntity)-[:MEMBER_OF]->(e)
WITH e, ties, h ORDER BY h.id
RETURN e.id AS id, e.user_id AS user_id, e.name AS name, coalesce(e.aliases, []) AS aliases, e.entity_type AS entity_type,
       collect(h.id) AS members, ties
ORDER BY id
