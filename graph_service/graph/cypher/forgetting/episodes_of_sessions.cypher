// Episodes of some sessions. Index episode_session.
// $tenant: str
// $sessions: list of str
// -> id, message_ids, facts, summary
UNWIND $sessions AS session
MATCH (e:Episode {tenant: $tenant, session_id: session})
RETURN e.id AS id, e.message_ids AS message_ids, e.facts AS facts, e.summary AS summary
ORDER BY id
