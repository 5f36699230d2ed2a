// How much work is open, being done or parked, and when the first of it is or was due. Over all tenants on purpose: one worker serves them.
// hot
// -> kind, state, jobs, due_ms
CALL () {
  MATCH (j:Job {open: true}) WHERE j.due_ms >= 0
  RETURN j.kind AS kind, j.state AS state, count(*) AS jobs, min(j.due_ms) AS due_ms
  UNION
  MATCH (t:Tenant) WHERE t.id > ''
  MATCH (j:Job {tenant: t.id, state: 'dead'})
  RETURN j.kind AS kind, j.state AS state, count(*) AS jobs, min(j.due_ms) AS due_ms
}
RETURN kind, state, jobs, due_ms
