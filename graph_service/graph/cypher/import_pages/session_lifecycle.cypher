// Write session states of an import; replaces all properties. Index session_lifecycle_id.
// $tenant: str
// $rows: list of {id, properties}
// -> written
UNWIND $rows AS row
MERGE (n:SessionLifecycle {tenant: $tenant, id: row.id})
SET n = row.properties
RETURN count(*) AS written
