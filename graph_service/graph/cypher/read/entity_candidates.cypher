// Entities of one user that a name may mean: the same key, or close in the full-text index.
// hot
// $tenant: str
// $user_id: str
// $names: list of {key, query}
// -> id, uri, name, key, aliases, entity_type, attributes, first_seen, last_seen
UNWIND $names AS wanted
CALL (wanted) {
  MATCH (e:Entity {tenant: $tenant, user_id: $user_id, key: wanted.key}) RETURN e
 UNION
  CALL db.index.fulltext.queryNodes('entity_words', wanted.query, {limit: 8}) YIELD node AS e
  WITH e WHERE e.tenant = $tenant AND e.user_id = $user_id
  RETURN e
}
WITH DISTINCT e
RETURN e.id AS id, e.uri AS uri, e.name AS name, e.key AS key, e.aliases AS aliases, e.entity_type AS entity_type,
       e.attributes AS attributes, e.first_seen AS first_seen, e.last_seen AS last_seen
ORDER BY e.id
