// Writes facts of merged entities as they were said of an import; every property is as given. Index held_fact_id.
// $tenant: str
// $rows: list of {id, properties}
// -> written
UNWIND $rows AS row
MERGE (n:HeldFact {tenant: $tenant, id: row.id})
SET n = row.properties
RETURN count(*) AS written
