// Delete a batch of a user's sessions, with their jobs and episodes.
// $tenant: str
// $user_id: str
// $rows_max: int
// -> id
MATCH (l:SessionLifecycle {tenant: $tenant, user_id: $user_id}) WHERE l.last_ms IS NOT NULL
WITH l LIMIT $rows_max
WITH l, l.id AS id
DELETE l
WITH id
OPTIONAL MATCH (s:Session {tenant: $tenant, id: id})
DETACH DELETE s
WITH id
CALL (id) {
  MATCH (e:Episode {tenant: $tenant, session_id: id})
  DELETE e
}
CALL (id) {
  UNWIND ['close', 'embed', 'extract', 'refine'] AS kind
  MATCH (j:Job {tenant: $tenant, id: id + '/' + kind})
  DELETE j
}
RETURN id
