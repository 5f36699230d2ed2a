// Lock some sessions until the commit, by their extract jobs; storing messages takes the same lock.
// $tenant: str
// $sessions: list of str, ordered
// $now_ms: int
// -> id
UNWIND $sessions AS session
MATCH (j:Job {tenant: $tenant, id: session + '/extract'})
SET j.touched_ms = $now_ms
RETURN j.id AS id
