// Ids of nodes that match some words, best match first: users, then entities by name and alias, then scenes by title.
// Full-text indexes entity_words and scene_words, index user_tenant.
// hot
// $tenant: str
// $user_id: str, or null for everybody in the tenant
// $entity_query: str, Lucene, scoped to the users
// $scene_query: str, Lucene, scoped to the users
// $part: str, lower-case substring of a user's name
// $rows_max: int
// -> id
CALL () {
  MATCH (n:User {tenant: $tenant})
  WHERE n.user_id IS NOT NULL AND toLower(coalesce(n.name, n.user_id)) CONTAINS $part
  RETURN n, 1000.0 AS score LIMIT $rows_max
 UNION ALL
  CALL db.index.fulltext.queryNodes('entity_words', $entity_query, {limit: $rows_max}) YIELD node AS n, score
  RETURN n, 10.0 + score AS score
 UNION ALL
  CALL db.index.fulltext.queryNodes('scene_words', $scene_query, {limit: $rows_max}) YIELD node AS n, score
  RETURN n, score
}
WITH n, max(score) AS score
WHERE n.tenant = $tenant AND ($user_id IS NULL OR n.user_id = $user_id) AND {{not_correction n}}
RETURN n.id AS id
ORDER BY score DESC, n.last_seen DESC, n.id
LIMIT $rows_max
