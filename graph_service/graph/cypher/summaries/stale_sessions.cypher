// A page of sessions by id, with the hashes that show whether their summaries are up to date.
// $tenant: str
// $user_id: str or null; only this user's
// $session: str or null; only this one
// $after: str, the last id of the page before
// $rows_max: int
// -> session, layers_hash, scene_hashes, behind
MATCH (l:SessionLifecycle {tenant: $tenant})
WHERE l.id > $after AND ($user_id IS NULL OR l.user_id = $user_id) AND ($session IS NULL OR l.id = $session)
WITH l ORDER BY l.id LIMIT $rows_max
CALL (l) {
  OPTIONAL MATCH (s:Scene {tenant: $tenant, session_id: l.id}) WHERE s.start_ms >= 0
  WITH s ORDER BY s.start_ms, s.id
  RETURN collect(coalesce(s.layers_hash, s.content_hash)) AS scene_hashes, count(s.layers_behind) + count(s.overview_pending) AS left
}
CALL (l) {
  OPTIONAL MATCH (m:Message {tenant: $tenant, session_id: l.id, unread: true})
  RETURN count(m) AS unread
}
RETURN l.id AS session, l.layers_hash AS layers_hash, scene_hashes, left + unread AS behind
