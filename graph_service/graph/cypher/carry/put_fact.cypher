// Writes facts of an import as edges; every property is as given. The predicate becomes the edge's type, so only names from the
// whitelist may come in here. Index memory_id.
// $tenant: str
// $rows: list of {id, type, subject, object, properties}
// -> written
UNWIND $rows AS row
MATCH (a:Memory {tenant: $tenant, id: row.subject})
MATCH (b:Memory {tenant: $tenant, id: row.object})
MERGE (a)-[r:$(row.type) {tenant: $tenant, id: row.id}]->(b)
SET r = row.properties
RETURN count(*) AS written
