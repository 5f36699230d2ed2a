// Tombstones of a user's memory, with the salt of their hashes. Index tombstone_user.
// hot
// $tenant: str
// $user_node_id: str
// $kinds: list of str
// -> salt, marks_of, marks
MATCH (t:Tenant {id: $tenant})
OPTIONAL MATCH (x:Tombstone {tenant: $tenant, user_node_id: $user_node_id}) WHERE x.kind IN $kinds
RETURN t.salt AS salt, t.marks_of AS marks_of, collect([x.id, x.at_ms]) AS marks
