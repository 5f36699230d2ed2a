// The user of an erasure job.
// $tenant: str
// $id: str
// -> user_id
MATCH (f:Job {tenant: $tenant, id: $id})
RETURN f.user_id AS user_id
