// A user's node and the revision of that user's memory.
// hot
// $tenant: str
// $user_node_id: str
// -> user_properties, revision
MATCH (u:Memory {tenant: $tenant, id: $user_node_id})
OPTIONAL MATCH (v:Revision {tenant: $tenant, id: $user_node_id})
RETURN properties(u) AS user_properties, coalesce(v.revision, 0) AS revision
