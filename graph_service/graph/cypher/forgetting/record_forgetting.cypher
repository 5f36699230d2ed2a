// Record that something was forgotten, so that every process drops its copies (`forgetting/follow`).
// $tenant: str
// $user_id: str
// $messages: bool, messages or questions about the user may be among it
// -> id
CREATE (f:Forgetting {id: randomUUID(), at_ms: timestamp(), tenant: $tenant, user_id: $user_id, messages: $messages})
RETURN f.id AS id
