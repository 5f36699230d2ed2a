// Sessions of a user, latest first, with counts of their contents and of pending work.
// hot
// $tenant: str
// $user_id: str
// $session_id: str or null; only this one. Those of corrections are left out of a list
// $last_ms: int or null; with $after: only those after this position
// $after: str or null; its id
// $rows_max: int
// -> lifecycle, messages, unread, unembedded, zone, scenes, unextracted, problem
MATCH (l:SessionLifecycle {tenant: $tenant, user_id: $user_id})
WHERE l.last_ms >= 0 AND CASE WHEN $session_id IS NULL THEN NOT l.session_id STARTS WITH 'by-hand:' ELSE l.session_id = $session_id END
  AND ($after IS NULL OR l.last_ms < $last_ms OR (l.last_ms = $last_ms AND l.id > $after))
WITH l ORDER BY l.last_ms DESC, l.id LIMIT $rows_max
CALL (l) {
  MATCH (m:Message {tenant: $tenant, session_id: l.id})
  RETURN count(CASE WHEN m.part_of IS NULL THEN m END) AS messages, count(m.unread) AS unread, count(m.unembedded) AS unembedded,
         max(CASE WHEN m.received_at = l.last_at THEN m.zone END) AS zone
}
CALL (l) {
  MATCH (x:Scene {tenant: $tenant, session_id: l.id}) WHERE x.start_ms >= 0
  RETURN count(x) AS scenes, count(x.unextracted) AS unextracted
}
OPTIONAL MATCH (j:Job {tenant: $tenant, id: l.id + '/close'})
RETURN properties(l) AS lifecycle, messages, unread, unembedded, zone, scenes, unextracted, j.error AS problem
ORDER BY l.last_ms DESC, l.id
