// Facts and summaries provided by callers, oldest first.
// hot
// $tenant: str
// $ids: list of str
// -> id, message_ids, facts, summary
UNWIND $ids AS id
MATCH (e:Episode {tenant: $tenant, id: id})
RETURN e.id AS id, e.message_ids AS message_ids, e.facts AS facts, e.summary AS summary ORDER BY e.received_at, e.id
