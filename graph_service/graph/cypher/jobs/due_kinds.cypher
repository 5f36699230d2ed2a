// Of some kinds of jobs, those that a worker could claim now. Over all tenants on purpose: one worker serves them.
// hot
// $now_ms: int
// $wanted: list of {kind, exclude_tenants, with_active}, as in jobs/claim
// -> kind
UNWIND $wanted AS wanted
WITH wanted
WHERE EXISTS {
  MATCH (j:Job {open: true})
  USING INDEX SEEK j:Job(open, due_ms)
  WHERE j.due_ms <= $now_ms AND coalesce(j.lease_until_ms, 0) <= $now_ms AND j.kind = wanted.kind
    AND NOT coalesce(j.tenant, '') IN wanted.exclude_tenants
    AND (wanted.with_active OR NOT EXISTS { MATCH (:SessionLifecycle {tenant: j.tenant, id: j.session, state: 'active'}) })
}
RETURN wanted.kind AS kind
