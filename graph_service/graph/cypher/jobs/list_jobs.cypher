// Jobs of one tenant that are not done, next due first, dead letters last. Index job_state.
// $tenant: str
// $states: list of open, leased, dead
// $dead: int or null; with $due_ms and $after: only those after this position; 1 for a dead letter, else 0
// $due_ms: int or null; when it is due
// $after: str or null; its id
// $rows_max: int
// -> id, kind, state, user_id, session_id, attempts, due_ms, error
MATCH (j:Job) WHERE j.tenant = $tenant AND j.state IN $states
WITH j, CASE j.state WHEN 'dead' THEN 1 ELSE 0 END AS dead, coalesce(j.due_ms, 0) AS due_ms
WHERE $after IS NULL OR dead > $dead OR (dead = $dead AND (due_ms > $due_ms OR (due_ms = $due_ms AND j.id > $after)))
WITH j, dead, due_ms ORDER BY dead, due_ms, j.id LIMIT $rows_max
OPTIONAL MATCH (s:Session {tenant: $tenant, id: j.session})
RETURN j.id AS id, j.kind AS kind, j.state AS state, s.user_id AS user_id, s.session_id AS session_id, j.attempts AS attempts,
       due_ms, j.error AS error
ORDER BY dead, due_ms, id
