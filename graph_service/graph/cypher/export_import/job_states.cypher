// A page of a tenant's jobs by id, for an export; `state` changes with everything that is stored about the sessions of a job. Index job_id.
// $tenant: str
// $after: str
// $rows: int
// -> key, erases_user, sessions, state, touched_ms
MATCH (j:Job {tenant: $tenant}) WHERE j.id > $after
WITH j ORDER BY j.tenant, j.id LIMIT $rows
RETURN j.id AS key, j.kind = 'forget' AND NOT j.state IN ['done', 'cancelled'] AS erases_user,
       [s IN coalesce(j.sessions, []) + [j.session] WHERE s IS NOT NULL] AS sessions,
       coalesce(toString(j.enqueue_count), '') + '/' + coalesce(toString(j.claims), '') + '/' + coalesce(j.state, '') + '/' + coalesce(j.lease, '')
       + '/' + coalesce(toString(j.touched_ms), '') AS state, coalesce(j.touched_ms, 0) AS touched_ms
ORDER BY key
