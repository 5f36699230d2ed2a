// Enqueue the closing of sessions that are not closed; a failed closing is retried.
// hot
// $tenant: str
// $sessions: list of str, ordered
// $last_before_ms: int or null; only sessions without a message since then
// $reason: str
// $now: datetime
// $now_ms: int
// -> session, state
// The job is locked before the session state, as in every statement that writes both.
UNWIND $sessions AS session
MERGE (j:Job {tenant: $tenant, id: session + '/close'})
  ON CREATE SET j.kind = 'close', j.session = session, j.enqueue_count = 0, j.attempts = 0, j.state = 'done'
SET j.touched_ms = $now_ms
WITH j, session
MATCH (l:SessionLifecycle {tenant: $tenant, id: session})
WHERE l.state <> 'closed' AND ($last_before_ms IS NULL OR l.last_ms <= $last_before_ms)
SET l.close_reason = CASE WHEN l.state = 'active' THEN $reason ELSE l.close_reason END,
    l.closing_at = CASE WHEN l.state = 'active' THEN $now ELSE l.closing_at END,
    l.state = CASE WHEN l.state = 'active' THEN 'closing' ELSE l.state END,
    j.attempts = CASE WHEN j.open THEN j.attempts ELSE 0 END, j.due_ms = CASE WHEN j.open THEN j.due_ms ELSE $now_ms END,
    j.enqueue_count = j.enqueue_count + 1, j.open = true, j.state = CASE WHEN j.lease IS NULL THEN 'open' ELSE j.state END
RETURN session, l.state AS state
