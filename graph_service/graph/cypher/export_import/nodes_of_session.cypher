// A page of a session's nodes, with their structural links, for an export: the session, its state, messages, episodes and scenes. Indexes
// session_id, session_lifecycle_id, message_session, episode_session, scene_session.
// $tenant: str
// $session: str
// $after: str
// $rows: int
// $vectors: bool
// -> key, labels, properties, links
CALL () {
  MATCH (n:Session {tenant: $tenant, id: $session}) RETURN n, 'a' + n.id AS key
 UNION ALL
  MATCH (n:SessionLifecycle {tenant: $tenant, id: $session}) RETURN n, 'b' + n.id AS key
 UNION ALL
  MATCH (n:Message {tenant: $tenant, session_id: $session}) RETURN n, 'c' + n.id AS key
 UNION ALL
  MATCH (n:Episode {tenant: $tenant, session_id: $session}) RETURN n, 'd' + n.id AS key
 UNION ALL
  MATCH (n:Scene {tenant: $tenant, session_id: $session}) WHERE n.start_ms IS NOT NULL RETURN n, 'e' + n.id AS key
}
WITH n, key WHERE key > $after
WITH n, key ORDER BY key LIMIT $rows
RETURN key, labels(n) AS labels, CASE WHEN $vectors THEN properties(n) ELSE n {{without_vectors}} END AS properties,
       COLLECT { MATCH (n)-[l:PART_OF|IN_SESSION]->(b {tenant: $tenant}) RETURN [type(l), b.id] } AS links
ORDER BY key
