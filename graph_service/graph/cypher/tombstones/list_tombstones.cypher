// Tombstones of a user's memory, with the salt of their hashes. Index tombstone_user.
// hot
// $tenant: str
// $user_node_id: str
// $kinds: list of str
// -> salt, tombstone_tenant, marks
MATCH (t:Tenant {id: $tenant})
OPTIONAL MATCH (x:Tombstone {tenant: $tenant, user_node_id: $user_node_id}) WHERE x.kind IN $kinds
RETURN t.salt AS salt, t.tombstone_tenant AS tombstone_tenant, collect([x.id, x.at_ms]) AS marks
