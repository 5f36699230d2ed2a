// Delete a batch of a user's messages with their vectors. Index message_user.
// $tenant: str
// $user_id: str
// $rows_max: int
// -> messages
MATCH (m:Message {tenant: $tenant, user_id: $user_id}) WHERE m.said_ms IS NOT NULL
WITH m LIMIT $rows_max
DETACH DELETE m
RETURN count(*) AS messages
