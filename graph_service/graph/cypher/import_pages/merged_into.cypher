// Write STANDS_FOR relationships of an import. Index held_entity_id.
// $tenant: str
// $rows: list of {subject, object}
// -> written
UNWIND $rows AS row
MATCH (a:HeldEntity {tenant: $tenant, id: row.subject})
MATCH (b:Memory {tenant: $tenant, id: row.object})
MERGE (a)-[:STANDS_FOR]->(b)
RETURN count(*) AS written
