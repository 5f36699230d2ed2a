// Number of open jobs of some kinds, and when the next is due. Over all tenants on purpose: one worker serves them.
// $kinds: list of str
// $exclude_tenants: list of str
// $without_embedding: list of str; tenants whose embedding jobs do not count
// $embed_active: bool, count embedding jobs of active sessions
// -> jobs, next_due_ms
MATCH (j:Job {open: true}) WHERE j.due_ms >= 0 AND j.kind IN $kinds AND NOT coalesce(j.tenant, '') IN $exclude_tenants
  AND (j.kind <> 'embed' OR NOT coalesce(j.tenant, '') IN $without_embedding)
  AND ($embed_active OR j.kind <> 'embed' OR NOT EXISTS { MATCH (:SessionLifecycle {tenant: j.tenant, id: j.session, state: 'active'}) })
RETURN count(*) AS jobs, min(CASE WHEN coalesce(j.lease_until_ms, 0) > j.due_ms THEN j.lease_until_ms ELSE j.due_ms END) AS next_due_ms
