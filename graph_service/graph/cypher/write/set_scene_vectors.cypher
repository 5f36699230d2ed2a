// Stores vectors of scene layers; a scene that was rewritten since its texts were embedded keeps waiting.
// hot
// $tenant: str
// $rows: list of {id, content_hash, abstract_vector, overview_vector}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (s:Memory {tenant: $tenant, id: row.id}) WHERE s.content_hash = row.content_hash
CALL db.create.setNodeVectorProperty(s, 'abstract_embedding', row.abstract_vector)
CALL db.create.setNodeVectorProperty(s, 'overview_embedding', row.overview_vector)
SET s.unembedded = null
RETURN s.id AS id
