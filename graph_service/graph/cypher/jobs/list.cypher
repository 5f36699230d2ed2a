// Work of one tenant that is not done, the next first; that which was given up comes last. Index job_state.
// $tenant: str
// $states: list of open, leased, dead
// $rows_max: int
// -> id, kind, state, user_id, session_id, attempts, due_ms, error
MATCH (j:Job) WHERE j.tenant = $tenant AND j.state IN $states
WITH j ORDER BY j.state = 'dead', j.due_ms, j.id LIMIT $rows_max
OPTIONAL MATCH (s:Session {tenant: $tenant, id: j.session})
RETURN j.id AS id, j.kind AS kind, j.state AS state, s.user_id AS user_id, s.session_id AS session_id, j.attempts AS attempts,
       j.due_ms AS due_ms, j.error AS error
ORDER BY state = 'dead', due_ms, id
