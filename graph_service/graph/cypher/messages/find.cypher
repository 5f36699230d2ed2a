// The id of the message that has one of several ids, in a session; of a part of a long text the id of its first part. Unique index message_id.
// $tenant: str
// $session: str, node id
// $ids: list of str, in order of preference
// -> id
UNWIND range(0, size($ids) - 1) AS place
MATCH (m:Message {tenant: $tenant, id: $ids[place]})
WHERE m.session_id = $session AND {{unexpired m}}
RETURN coalesce(m.part_of, m.id) AS id ORDER BY place LIMIT 1
