// Write messages of an import; replaces all properties, and sets vectors in the form the vector index needs. Index message_id.
// $tenant: str
// $rows: list of {id, properties, vectors}; vectors a list of [property, vector]
// -> written
UNWIND $rows AS row
MERGE (n:Message {tenant: $tenant, id: row.id})
SET n = row.properties
WITH n, row
CALL (n, row) {
  UNWIND row.vectors AS pair
  CALL db.create.setNodeVectorProperty(n, pair[0], pair[1])
  RETURN count(*) AS vectors
}
RETURN count(*) AS written
