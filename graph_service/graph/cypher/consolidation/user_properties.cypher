// A user's node.
// hot
// $tenant: str
// $user_node_id: str
// -> user_properties
MATCH (u:Memory {tenant: $tenant, id: $user_node_id})
RETURN properties(u) AS user_properties
