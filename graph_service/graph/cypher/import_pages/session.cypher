// Write sessions of an import; replaces all properties. Index session_id.
// $tenant: str
// $rows: list of {id, properties}
// -> written
UNWIND $rows AS row
MERGE (n:Session {tenant: $tenant, id: row.id})
SET n = row.properties
RETURN count(*) AS written
