// Scenes of a user with a message that contains one of some names. Index message_user.
// $tenant: str
// $user_id: str
// $names: list of str, lower case
// -> id
MATCH (m:Message {tenant: $tenant, user_id: $user_id})
WHERE m.said_ms IS NOT NULL AND any(name IN $names WHERE toLower(m.text) CONTAINS name)
MATCH (m)-[:PART_OF]->(s:Scene)
RETURN DISTINCT s.id AS id
ORDER BY id
