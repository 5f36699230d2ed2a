// Locks the user's memory for one digest and says whether it is still as it was when the digest was planned.
// hot
// $tenant: str
// $user_node_id: str
// $revision: int
// $seen: datetime
// -> fresh
MATCH (u:Memory {tenant: $tenant, id: $user_node_id})
SET u.revision = u.revision + 1
SET u.last_seen = CASE WHEN u.last_seen < $seen THEN $seen ELSE u.last_seen END
RETURN u.revision = $revision + 1 AS fresh
