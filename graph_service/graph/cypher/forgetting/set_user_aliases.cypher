// Writes the names that a user goes by; null takes a list away.
// $tenant: str
// $user_node_id: str
// $names: map of aliases, called, called_since
// -> id
MATCH (u:Memory {tenant: $tenant, id: $user_node_id})
SET u += $names
RETURN u.id AS id
