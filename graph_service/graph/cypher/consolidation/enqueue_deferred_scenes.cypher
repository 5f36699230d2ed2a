// Enqueue the extraction of scenes that were read by rules because no model was available, oldest first. Index memory_user.
// Locks scenes before the jobs of their sessions, in the same order as a digest.
// $tenant: str
// $user_id: str
// $scenes_max: int
// $now_ms: int
// -> session, scenes
MATCH (s:Memory {tenant: $tenant, user_id: $user_id}) WHERE s:Scene AND s.fallback_reason IS NOT NULL
WITH s ORDER BY s.start_ms, s.id LIMIT $scenes_max
WITH s ORDER BY s.id
SET s.unextracted = true, s.fallback_reason = null
WITH s.session_id AS session, count(s) AS scenes ORDER BY session
MERGE (j:Job {tenant: $tenant, id: session + '/extract'})
  ON CREATE SET j.kind = 'extract', j.session = session, j.enqueue_count = 0, j.attempts = 0
SET j.attempts = CASE WHEN j.open THEN j.attempts ELSE 0 END, j.due_ms = CASE WHEN j.open THEN j.due_ms ELSE $now_ms END,
    j.enqueue_count = j.enqueue_count + 1, j.open = true, j.state = CASE WHEN j.lease IS NULL THEN 'open' ELSE j.state END
RETURN session, scenes
