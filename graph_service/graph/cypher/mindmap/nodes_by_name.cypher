// Users, agents and entities of one memory, all or by name, most recently mentioned first, each with its strongest valid facts.
// Index memory_user.
// hot
// $tenant: str
// $user_id: str
// $every: bool, all of them
// $keys: list of name keys
// $rows_max: int
// $facts_max: int
// -> id, uri, kind, name, aliases, entity_type, last_seen, attributes, facts
MATCH (n:Memory) WHERE n.tenant = $tenant AND n.user_id = $user_id
WITH n WHERE NOT n:Scene AND ($every OR n.key IN $keys OR toLower(n.name) IN $keys)
WITH n ORDER BY n.last_seen DESC, n.id LIMIT $rows_max
CALL (n) {
  MATCH (n)-[r]-(o:Memory)
  WHERE type(r) <> 'MENTIONED' AND r.tenant = $tenant AND {{current r}}
  WITH DISTINCT r ORDER BY r.strength DESC, r.last_seen DESC, r.id LIMIT $facts_max
  WITH r, startNode(r) AS s, endNode(r) AS o
  RETURN collect([r.id, coalesce(s.name, s.user_id), type(r), r.relation, coalesce(o.name, o.user_id), r.statement, r.valid_at]) AS facts
}
RETURN n.id AS id, n.uri AS uri, CASE WHEN n:User THEN 'User' WHEN n:Agent THEN 'Agent' ELSE 'Entity' END AS kind,
       coalesce(n.name, n.user_id) AS name, coalesce(n.aliases, []) AS aliases, n.entity_type AS entity_type, n.last_seen AS last_seen,
       n.attributes AS attributes, facts
ORDER BY last_seen DESC, id
