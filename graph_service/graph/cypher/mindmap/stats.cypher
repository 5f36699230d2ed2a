// Counts of a tenant's or user's data by kind.
// may lag
// $tenant: str
// $user_id: str or null
// $now_ms: int
// -> kind, n
CALL () {
  MATCH (m:Message {tenant: $tenant}) WHERE m.part_of IS NULL AND ($user_id IS NULL OR m.user_id = $user_id) RETURN 'messages' AS kind, count(m) AS n
 UNION ALL
  MATCH (l:SessionLifecycle {tenant: $tenant}) WHERE $user_id IS NULL OR l.user_id = $user_id RETURN 'sessions' AS kind, count(l) AS n
 UNION ALL
  MATCH (u:Memory {tenant: $tenant}) WHERE $user_id IS NULL OR u.user_id = $user_id
  UNWIND [label IN labels(u) WHERE label <> 'Memory'] AS kind
  RETURN kind, count(*) AS n
 UNION ALL
  MATCH (i:Item {tenant: $tenant}) WHERE ($user_id IS NULL OR i.user_id = $user_id) AND (i.expires_ms IS NULL OR i.expires_ms > $now_ms)
  RETURN 'items' AS kind, count(i) AS n
 UNION ALL
  MATCH (u:Memory {tenant: $tenant})-[r]->(:Memory) WHERE ($user_id IS NULL OR u.user_id = $user_id) AND type(r) <> 'MENTIONED'
  RETURN CASE WHEN {{current r}} THEN 'facts' ELSE 'closed facts' END AS kind, count(r) AS n
}
RETURN kind, n
