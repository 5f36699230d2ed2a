// Write rejected merges of an import; replaces all properties. Index kept_apart_id.
// $tenant: str
// $rows: list of {id, properties}
// -> written
UNWIND $rows AS row
MERGE (n:KeptApart {tenant: $tenant, id: row.id})
SET n = row.properties
RETURN count(*) AS written
