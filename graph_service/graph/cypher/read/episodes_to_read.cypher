// Facts and summaries that callers brought and nobody has read yet, oldest first.
// hot
// $tenant: str
// $session: str
// -> id, message_ids, facts, summary
MATCH (e:Episode {tenant: $tenant, session_id: $session, unread: true})
RETURN e.id AS id, e.message_ids AS message_ids, e.facts AS facts, e.summary AS summary ORDER BY e.received_at, e.id
