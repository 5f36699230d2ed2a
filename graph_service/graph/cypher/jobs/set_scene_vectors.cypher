// Store vectors of scene summaries; a scene whose texts have changed meanwhile stays unembedded.
// hot
// $tenant: str
// $rows: list of {id, layers_hash, abstract_vector, overview_vector}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (s:Memory {tenant: $tenant, id: row.id}) WHERE coalesce(s.layers_hash, s.content_hash) = row.layers_hash
CALL db.create.setNodeVectorProperty(s, 'abstract_embedding', row.abstract_vector)
CALL db.create.setNodeVectorProperty(s, 'overview_embedding', row.overview_vector)
SET s.unembedded = null
RETURN s.id AS id
