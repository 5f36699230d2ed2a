// Lock a user's memory until the commit and invalidate every digest planned before. Takes the same lock as consolidation/lock_user.
// $tenant: str
// $user_node_id: str
// -> revision
MERGE (v:Revision {tenant: $tenant, id: $user_node_id}) ON CREATE SET v.revision = 0
SET v.locked = true
WITH v
SET v.revision = v.revision + 1
RETURN v.revision AS revision
