// True if a job of a session is open.
// hot
// $tenant: str
// $id: str
// -> open
MATCH (j:Job {tenant: $tenant, id: $id})
RETURN coalesce(j.open, false) AS open
