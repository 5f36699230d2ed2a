// Users, agents and entities of one memory that match a search by name or by valid facts, each with its strongest valid facts. Names count
// double. Indexes entity_words, entity_forms, fact_words.
// hot
// $tenant: str
// $user_id: str
// $names: str, query of names
// $forms: str, query of spellings
// $facts: str, query of facts
// $types: list of entity types; none means all
// $index_rows: int, candidates of each index
// $rows_max: int
// $facts_max: int
// -> id, uri, kind, name, aliases, entity_type, last_seen, attributes, facts
CALL () {
  CALL db.index.fulltext.queryNodes('entity_words', $names, {limit: $index_rows}) YIELD node AS n, score
  WHERE n.tenant = $tenant AND n.user_id = $user_id
  RETURN n, 2.0 * score AS score
 UNION ALL
  CALL db.index.fulltext.queryNodes('entity_forms', $forms, {limit: $index_rows}) YIELD node AS n, score
  WHERE n.tenant = $tenant AND n.user_id = $user_id
  RETURN n, 2.0 * score AS score
 UNION ALL
  CALL db.index.fulltext.queryRelationships('fact_words', $facts, {limit: $index_rows}) YIELD relationship AS r, score
  WHERE r.tenant = $tenant AND r.user_id = $user_id AND {{current r}}
  UNWIND [startNode(r), endNode(r)] AS n
  RETURN n, score
}
WITH n, sum(score) AS score
WHERE NOT n:Scene AND (size($types) = 0 OR n.entity_type IN $types)
ORDER BY score DESC, n.last_seen DESC, n.id
LIMIT $rows_max
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
ORDER BY score DESC, last_seen DESC, id
