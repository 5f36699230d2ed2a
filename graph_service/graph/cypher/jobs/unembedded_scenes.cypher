// Scenes with summaries that wait for vectors in some sessions of a tenant.
// hot
// $tenant: str
// $sessions: list of str
// $rows_max: int
// -> session, user_node_id, id, layers_hash, abstract, overview
// The index is named, as in unembedded_messages.
UNWIND $sessions AS session
MATCH (x:Session {tenant: $tenant, id: session})
MATCH (s:Scene {tenant: $tenant, session_id: session, unembedded: true})
USING INDEX SEEK s:Scene(tenant, session_id, unembedded)
WITH session, x, s ORDER BY session, s.id LIMIT $rows_max
RETURN session, x.user_node_id AS user_node_id, s.id AS id, coalesce(s.layers_hash, s.content_hash) AS layers_hash, s.abstract AS abstract, s.overview AS overview
