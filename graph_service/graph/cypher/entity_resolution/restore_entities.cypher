// Puts entities on the map exactly as they are by themselves, and keeps them apart no longer.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (h:HeldEntity {tenant: $tenant, id: id})
MERGE (e:Memory {tenant: $tenant, id: id}) ON CREATE SET e:Entity
SET e = properties(h)
SET e.parent_id = null, e.merge_id = null, e.merge_reason = null, e.merged_at = null
DETACH DELETE h
RETURN id
