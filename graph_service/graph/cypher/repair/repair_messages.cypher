// Marks messages as waiting for a vector or for being read, and corrects their hashes. A message that a scene holds is read again
// with its whole scene.
// $tenant: str
// $rows: list of {id, content_hash, embed, read}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (m:Message {tenant: $tenant, id: row.id})
OPTIONAL MATCH (m)-[:PART_OF]->(s:Scene)
SET m.content_hash = row.content_hash, m.unembedded = CASE WHEN row.embed THEN true ELSE m.unembedded END,
    m.unread = CASE WHEN row.read AND s IS NULL THEN true ELSE m.unread END
FOREACH (_ IN CASE WHEN row.read AND s IS NOT NULL THEN [1] ELSE [] END | SET s.unextracted = true)
RETURN m.id AS id
