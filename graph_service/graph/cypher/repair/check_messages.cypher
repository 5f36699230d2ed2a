// A page of a tenant's messages by id, with the properties that a consistency check compares.
// $tenant: str
// $after: str, the last id of the page before
// $rows_max: int
// -> id, user_id, session, role, speaker, text, said_at, content_hash, vector_dim, has_tokens, unembedded, unread, never_read, in_scene
MATCH (m:Message {tenant: $tenant}) WHERE m.id > $after
WITH m ORDER BY m.id LIMIT $rows_max
RETURN m.id AS id, m.user_id AS user_id, m.session_id AS session, m.role AS role, m.speaker AS speaker, m.text AS text, m.said_at AS said_at,
       m.content_hash AS content_hash, size(m.embedding) AS vector_dim, m.token_vectors IS NOT NULL AS has_tokens,
       coalesce(m.unembedded, false) AS unembedded,
       coalesce(m.unread, false) AS unread, coalesce(m.never_read, false) AS never_read, EXISTS { (m)-[:PART_OF]->(:Scene) } AS in_scene
