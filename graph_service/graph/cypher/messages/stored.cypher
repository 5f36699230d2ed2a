// Properties of a message without its vectors, and the texts of its parts, in order. Unique index message_id.
// $tenant: str
// $id: str, of the first part
// -> properties, ids, texts, session_id
MATCH (m:Message {tenant: $tenant, id: $id})
OPTIONAL MATCH (x:Session {tenant: $tenant, id: m.session_id})
CALL (m) {
  WITH [m.id] + coalesce(m.parts, []) AS ids
  UNWIND range(0, size(ids) - 1) AS number
  MATCH (p:Message {tenant: $tenant, id: ids[number]})
  WITH number, p ORDER BY number
  RETURN collect(p.id) AS ids, collect(p.text) AS texts
}
RETURN m {.*, embedding: null, token_vectors: null} AS properties, ids, texts, coalesce(x.session_id, '') AS session_id
