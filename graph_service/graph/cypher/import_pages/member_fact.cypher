// Write facts of merged entities of an import; replaces all properties. Index member_fact_id.
// $tenant: str
// $rows: list of {id, properties}
// -> written
UNWIND $rows AS row
MERGE (n:MemberFact {tenant: $tenant, id: row.id})
SET n = row.properties
RETURN count(*) AS written
