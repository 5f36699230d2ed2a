// The names of a user, and those that the user declared in a conversation. Unique index memory_id.
// $tenant: str
// $user_node_id: str
// -> aliases, declared_names, declared_since
MATCH (u:Memory {tenant: $tenant, id: $user_node_id}) WHERE u.declared_names IS NOT NULL
RETURN u.aliases AS aliases, u.declared_names AS declared_names, u.declared_since AS declared_since
