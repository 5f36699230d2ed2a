// Write tombstones of an import; replaces all properties. Index tombstone_id.
// $tenant: str
// $rows: list of {id, properties}
// -> written
UNWIND $rows AS row
MERGE (n:Tombstone {tenant: $tenant, id: row.id})
SET n = row.properties
RETURN count(*) AS written
