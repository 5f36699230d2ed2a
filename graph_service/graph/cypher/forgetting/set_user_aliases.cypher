// Set the names of a user; null deletes a list.
// $tenant: str
// $user_node_id: str
// $names: map of aliases, declared_names, declared_since
// -> id
MATCH (u:Memory {tenant: $tenant, id: $user_node_id})
SET u += $names
RETURN u.id AS id
