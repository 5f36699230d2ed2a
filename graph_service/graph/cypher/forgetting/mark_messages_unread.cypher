// Mark messages for consolidation.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (m:Message {tenant: $tenant, id: id})
SET m.unread = true
RETURN m.id AS id
