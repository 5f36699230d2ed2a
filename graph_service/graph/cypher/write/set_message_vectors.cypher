// Stores vectors of messages.
// hot
// $tenant: str
// $rows: list of {id, vector}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (m:Message {tenant: $tenant, id: row.id})
CALL db.create.setNodeVectorProperty(m, 'embedding', row.vector)
SET m.unembedded = null
RETURN m.id AS id
