// Write rejected merges of an import; replaces all properties. Index rejected_merge_id.
// $tenant: str
// $rows: list of {id, properties}
// -> written
UNWIND $rows AS row
MERGE (n:RejectedMerge {tenant: $tenant, id: row.id})
SET n = row.properties
RETURN count(*) AS written
