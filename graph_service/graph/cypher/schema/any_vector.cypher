// One message with a vector; no row if there is none. Scans messages: run it only when a service starts with another embedder.
// -> id
MATCH (m:Message) WHERE m.embedding IS NOT NULL
RETURN m.id AS id
LIMIT 1
