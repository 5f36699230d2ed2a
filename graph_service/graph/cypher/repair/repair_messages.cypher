// Mark messages as unembedded or unread, and correct their hashes. A message in a scene is extracted again with the whole scene, so the
// scene is marked instead.
// $tenant: str
// $rows: list of {id, content_hash, embed, extract}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (m:Message {tenant: $tenant, id: row.id})
OPTIONAL MATCH (m)-[:PART_OF]->(s:Scene)
SET m.content_hash = row.content_hash, m.unembedded = CASE WHEN row.embed THEN true ELSE m.unembedded END,
    m.unread = CASE WHEN row.extract AND s IS NULL AND m.never_read IS NULL THEN true ELSE m.unread END
FOREACH (_ IN CASE WHEN row.extract AND s IS NOT NULL THEN [1] ELSE [] END | SET s.unextracted = true)
RETURN m.id AS id
