// Whether one piece of work of a session is asked for and not done.
// hot
// $tenant: str
// $id: str
// -> open
MATCH (j:Job {tenant: $tenant, id: $id})
RETURN coalesce(j.open, false) AS open
