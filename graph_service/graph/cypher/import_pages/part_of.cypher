// Write PART_OF relationships of an import. Index message_id.
// $tenant: str
// $rows: list of {subject, object}
// -> written
UNWIND $rows AS row
MATCH (a:Message {tenant: $tenant, id: row.subject})
MATCH (b:Memory {tenant: $tenant, id: row.object})
MERGE (a)-[:PART_OF]->(b)
RETURN count(*) AS written
