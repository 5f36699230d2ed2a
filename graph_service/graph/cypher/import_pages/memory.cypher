// Write users, agents, entities and scenes of an import; replaces all properties. The label of a row becomes a node label, so it must be one of
// schema/labels.py. Index memory_id.
// $tenant: str
// $rows: list of {id, label, properties, vectors}; vectors a list of [property, vector]
// -> written
UNWIND $rows AS row
MERGE (n:Memory {tenant: $tenant, id: row.id})
SET n = row.properties, n:$(row.label)
WITH n, row
CALL (n, row) {
  UNWIND row.vectors AS pair
  CALL db.create.setNodeVectorProperty(n, pair[0], pair[1])
  RETURN count(*) AS vectors
}
RETURN count(*) AS written
