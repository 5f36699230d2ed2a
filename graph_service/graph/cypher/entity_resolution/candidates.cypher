// Entities of one user that a name may refer to: same key, shared spelling, or close in the full-text index. A merged node is returned as
// its members, one row each.
// hot
// $tenant: str
// $user_id: str
// $names: list of {key, query, forms}
// -> id, uri, name, key, aliases, entity_type, attributes, first_seen, last_seen, root_id
UNWIND $names AS wanted
CALL (wanted) {
  MATCH (e:Entity {tenant: $tenant, user_id: $user_id, key: wanted.key}) RETURN e
 UNION
  CALL db.index.fulltext.queryNodes('entity_forms', wanted.forms, {limit: 8}) YIELD node AS e
  WITH e WHERE e.tenant = $tenant AND e.user_id = $user_id
  RETURN e
 UNION
  CALL db.index.fulltext.queryNodes('entity_words', wanted.query, {limit: 8}) YIELD node AS e
  WITH e WHERE e.tenant = $tenant AND e.user_id = $user_id
  RETURN e
}
WITH DISTINCT e
OPTIONAL MATCH (held:MemberEntity)-[:MEMBER_OF]->(e)
WITH e, coalesce(held, e) AS one, CASE WHEN held IS NULL THEN null ELSE e.id END AS root_id
// Neo4j applies a commit in parts: for some milliseconds a member of a new merge has no name yet.
WHERE one.name IS NOT NULL
RETURN one.id AS id, one.uri AS uri, one.name AS name, one.key AS key, coalesce(one.aliases, []) AS aliases,
       one.entity_type AS entity_type, one.attributes AS attributes, one.first_seen AS first_seen, one.last_seen AS last_seen, root_id
ORDER BY id
