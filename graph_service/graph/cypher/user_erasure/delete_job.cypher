// Delete a finished job.
// $tenant: str
// $id: str
// -> id
MATCH (j:Job {tenant: $tenant, id: $id})
DELETE j
RETURN $id AS id
