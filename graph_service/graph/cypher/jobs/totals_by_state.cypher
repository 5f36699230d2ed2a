// Number of open, leased and dead jobs by kind, and the earliest due time. Over all tenants on purpose: one worker serves them.
// hot
// may lag
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
