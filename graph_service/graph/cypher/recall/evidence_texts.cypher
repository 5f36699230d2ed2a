// Full texts of messages of one user. Unique index message_id.
// $tenant: str
// $user_id: str
// $ids: list of message ids
// -> id, text
UNWIND $ids AS id
MATCH (m:Message {tenant: $tenant, id: id}) WHERE m.user_id = $user_id AND {{unexpired m}}
RETURN m.id AS id, m.text AS text
