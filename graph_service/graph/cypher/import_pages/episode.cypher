// Write episodes of an import; replaces all properties. Index episode_id.
// $tenant: str
// $rows: list of {id, properties}
// -> written
UNWIND $rows AS row
MERGE (n:Episode {tenant: $tenant, id: row.id})
SET n = row.properties
RETURN count(*) AS written
