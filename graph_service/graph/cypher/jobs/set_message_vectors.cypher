// Store vectors of messages, with the token vectors of the same model run.
// hot
// $tenant: str
// $rows: list of {id, vector, tokens}, ordered by id; tokens are bytes, or null for a message without
// -> id
UNWIND $rows AS row
MATCH (m:Message {tenant: $tenant, id: row.id})
CALL db.create.setNodeVectorProperty(m, 'embedding', row.vector)
SET m.unembedded = null, m.token_vectors = row.tokens
RETURN m.id AS id
