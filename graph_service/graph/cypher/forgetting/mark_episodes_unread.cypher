// Mark episodes for consolidation, with the references to deleted messages removed.
// $tenant: str
// $rows: list of {id, message_ids, facts, summary}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (e:Episode {tenant: $tenant, id: row.id})
SET e.message_ids = row.message_ids, e.facts = row.facts, e.summary = row.summary, e.unread = true
RETURN e.id AS id
