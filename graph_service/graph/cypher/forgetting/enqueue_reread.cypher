// Enqueue the extraction from the remaining messages of some sessions of a user. A worker with a lease there loses it, so that results
// from the old text are dropped. Closed sessions become active, and session summaries are deleted.
// $tenant: str
// $user_node_id: str
// $sessions: list of str, ordered
// $now_ms: int
// -> id
// One job per user instead of one per session, because messages must be read in the order they were said, over all sessions.
UNWIND $sessions AS session
UNWIND ['embed', 'extract'] AS kind
MERGE (j:Job {tenant: $tenant, id: session + '/' + kind})
  ON CREATE SET j.kind = kind, j.session = session, j.enqueue_count = 0
SET j.lease = null, j.lease_until_ms = null, j.attempts = 0, j.error = null, j.unavailable_service = null, j.due_ms = $now_ms,
    j.enqueue_count = j.enqueue_count + 1, j.open = CASE kind WHEN 'embed' THEN true ELSE null END,
    j.state = CASE kind WHEN 'embed' THEN 'open' ELSE 'done' END
WITH session, j
OPTIONAL MATCH (l:SessionLifecycle {tenant: $tenant, id: session})
FOREACH (_ IN CASE WHEN l.state = 'closed' THEN [1] ELSE [] END |
  SET l.state = 'active', l.close_reason = null, l.closing_at = null, l.closed_at = null)
FOREACH (_ IN CASE WHEN l IS NULL THEN [] ELSE [1] END |
  SET l.title = null, l.abstract = null, l.overview = null, l.layers_hash = null, l.layers_at = null)
WITH count(j) AS jobs
MERGE (a:Job {tenant: $tenant, id: $user_node_id + '/reextract'})
  ON CREATE SET a.kind = 'reextract', a.session = $user_node_id, a.enqueue_count = 0
SET a.sessions = CASE WHEN a.open THEN a.sessions ELSE [] END + $sessions, a.lease = null, a.lease_until_ms = null, a.attempts = 0,
    a.error = null, a.unavailable_service = null, a.due_ms = $now_ms, a.enqueue_count = a.enqueue_count + 1, a.open = true, a.state = 'open'
RETURN a.id AS id
