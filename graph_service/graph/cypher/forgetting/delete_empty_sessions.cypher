// Delete sessions without messages, and their jobs.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (s:Session {tenant: $tenant, id: id}) WHERE NOT EXISTS { (:Message {tenant: $tenant, session_id: id}) }
DETACH DELETE s
WITH id
OPTIONAL MATCH (l:SessionLifecycle {tenant: $tenant, id: id})
DELETE l
WITH id
UNWIND ['close', 'embed', 'extract', 'refine'] AS kind
OPTIONAL MATCH (j:Job {tenant: $tenant, id: id + '/' + kind})
DELETE j
RETURN DISTINCT id
