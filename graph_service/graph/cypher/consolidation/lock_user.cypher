// Locks a user's memory for one digest and says whether it is still as it was when the digest was planned.
// hot
// $tenant: str
// $user_node_id: str
// $revision: int
// $seen: datetime
// $names: map of aliases, called, called_since; empty when the user told no new name
// -> fresh
// The lock is on a node of its own: the user's node has many edges, and two digests that lock it by a property and then by new
// edges deadlock (seen with two workers on one user). It is locked before its number is read: otherwise a turn that another writer
// commits meanwhile is lost (seen with digests beside vectors), and two digests are both taken for fresh.
MERGE (v:Revision {tenant: $tenant, id: $user_node_id}) ON CREATE SET v.revision = 0
SET v.locked = true
WITH v
SET v.revision = v.revision + 1
WITH v.revision = $revision + 1 AS fresh
MATCH (u:Memory {tenant: $tenant, id: $user_node_id})
SET u += $names, u.last_seen = CASE WHEN u.last_seen < $seen THEN $seen ELSE u.last_seen END
RETURN fresh
