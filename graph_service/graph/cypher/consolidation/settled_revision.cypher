// The revision of a user's memory and the user's properties, read under the lock of the memory. No row if the user was forgotten.
// hot
// $tenant: str
// $user_node_id: str
// -> user_properties, revision
// Without the lock a reader sees a commit while Neo4j applies it, in parts: the new revision, but not yet the new index entries of
// merged entities (seen: 5 of 400 merges beside a digest). A commit holds its locks until all of it is applied.
MATCH (known:Memory {tenant: $tenant, id: $user_node_id})
MERGE (v:Revision {tenant: $tenant, id: known.id}) ON CREATE SET v.revision = 0
SET v.locked = true
WITH v
MATCH (u:Memory {tenant: $tenant, id: $user_node_id})
RETURN properties(u) AS user_properties, v.revision AS revision
