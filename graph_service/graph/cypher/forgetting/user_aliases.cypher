// The names of a user, and those that the user declared in a conversation. Unique index memory_id.
// $tenant: str
// $user_node_id: str
// -> aliases, called, called_since
MATCH (u:Memory {tenant: $tenant, id: $user_node_id}) WHERE u.called IS NOT NULL
RETURN u.aliases AS aliases, u.called AS called, u.called_since AS called_since
