// Number of users of a tenant whose erasure is in progress. Index job_id.
// $tenant: str
// -> users
MATCH (j:Job {tenant: $tenant}) WHERE j.id > '' AND j.kind = 'forget' AND NOT j.state IN ['done', 'cancelled']
RETURN count(*) AS users
