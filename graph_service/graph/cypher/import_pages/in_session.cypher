// Write IN_SESSION relationships of an import. Index memory_id.
// $tenant: str
// $rows: list of {subject, object}
// -> written
UNWIND $rows AS row
MATCH (a:Memory {tenant: $tenant, id: row.subject})
MATCH (b:Session {tenant: $tenant, id: row.object})
MERGE (a)-[:IN_SESSION]->(b)
RETURN count(*) AS written
