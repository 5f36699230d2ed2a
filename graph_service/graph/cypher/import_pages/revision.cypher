// Write revisions of an import; replaces all properties. Index revision_id.
// $tenant: str
// $rows: list of {id, properties}
// -> written
UNWIND $rows AS row
MERGE (n:Revision {tenant: $tenant, id: row.id})
SET n = row.properties
RETURN count(*) AS written
