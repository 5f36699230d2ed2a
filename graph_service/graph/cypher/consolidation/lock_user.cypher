// Lock a user's memory for one digest; `fresh` is false if the memory was written since the digest was planned.
// hot
// $tenant: str
// $user_node_id: str
// $revision: int
// $seen: datetime
// $names: map of aliases, declared_names, declared_since; empty when the user declared no new name
// -> fresh
// The lock is on a separate node: the user's node has many relationships, and two digests that lock it by a property and then by
// new relationships deadlock (seen with two workers on one user). It is locked before the revision is read: otherwise a commit of
// another writer is missed (seen with digests and vectors at the same time), and two digests both count as fresh.
MERGE (v:Revision {tenant: $tenant, id: $user_node_id}) ON CREATE SET v.revision = 0
SET v.locked = true
WITH v
SET v.revision = v.revision + 1
WITH v.revision = $revision + 1 AS fresh
MATCH (u:Memory {tenant: $tenant, id: $user_node_id})
SET u += $names, u.last_seen = CASE WHEN u.last_seen < $seen THEN $seen ELSE u.last_seen END
RETURN fresh
