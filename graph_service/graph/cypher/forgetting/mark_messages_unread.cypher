// Mark messages for consolidation, except those that expire soon: they are not read again.
// $tenant: str
// $rows: list of {id, is_ending}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (m:Message {tenant: $tenant, id: row.id})
SET m.unread = CASE WHEN NOT row.is_ending THEN true END, m.never_read = CASE WHEN row.is_ending THEN true END
RETURN m.id AS id
