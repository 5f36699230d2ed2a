// Messages in which some words were said, best match first, each with its scene, which it has once it is read.
// Further parts of long texts count as the first; corrections are left out. Full-text index message_words.
// hot
// $tenant: str
// $user_id: str, or null for everybody in the tenant
// $message_query: str, Lucene, scoped to the users
// $prefix: str, of the ids of correction sessions
// $index_rows: int
// $rows_max: int
// -> id, user_id, speaker, role, said_at, text, scene_id
CALL db.index.fulltext.queryNodes('message_words', $message_query, {limit: $index_rows}) YIELD node AS m, score
WHERE m.tenant = $tenant AND ($user_id IS NULL OR m.user_id = $user_id)
  AND NOT EXISTS { MATCH (x:Session {tenant: $tenant, id: m.session_id}) WHERE x.session_id STARTS WITH $prefix }
WITH m, score
ORDER BY score DESC, m.said_ms DESC, m.id
LIMIT $rows_max
OPTIONAL MATCH (m)-[:PART_OF]->(s:Scene)
WITH m, score, head(collect(s.id)) AS scene_id
RETURN coalesce(m.part_of, m.id) AS id, m.user_id AS user_id, m.speaker AS speaker, m.role AS role, m.said_at AS said_at, m.text AS text, scene_id
ORDER BY score DESC, m.said_ms DESC, m.id
