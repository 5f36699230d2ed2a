// Mark a user as being erased: until the erasure is done, nothing of the user is stored, and leases of the user's jobs are revoked.
// $tenant: str
// $user_id: str
// $user_node_id: str
// $now_ms: int
// -> id
MERGE (f:Job {tenant: $tenant, id: $user_node_id + '/forget'})
  ON CREATE SET f.kind = 'forget', f.session = $user_node_id, f.user_id = $user_id, f.enqueue_count = 1, f.attempts = 0, f.due_ms = $now_ms,
                f.open = true, f.state = 'open'
WITH f
OPTIONAL MATCH (l:SessionLifecycle {tenant: $tenant, user_id: $user_id}) WHERE l.last_ms IS NOT NULL
WITH f, collect(l.id) AS sessions
UNWIND [$user_node_id + '/reextract'] + reduce(all = [], s IN sessions | all + [s + '/close', s + '/embed', s + '/extract', s + '/refine']) AS id
OPTIONAL MATCH (j:Job {tenant: $tenant, id: id})
WITH f, j ORDER BY j.id
SET j.lease = null, j.lease_until_ms = null, j.open = null, j.state = 'done', j.error = null, j.unavailable_service = null
RETURN DISTINCT f.id AS id
