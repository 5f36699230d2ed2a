// Marks messages as waiting for a vector or for being read, and corrects their hashes.
// $tenant: str
// $rows: list of {id, content_hash, embed, read}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (m:Message {tenant: $tenant, id: row.id})
SET m.content_hash = row.content_hash, m.unembedded = CASE WHEN row.embed THEN true ELSE m.unembedded END,
    m.unread = CASE WHEN row.read AND NOT EXISTS { (m)-[:PART_OF]->(:Scene) } THEN true ELSE m.unread END
RETURN m.id AS id
