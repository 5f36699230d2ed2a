// Record that two entities are different. Unique index rejected_merge_id.
// $tenant: str
// $id: str
// $properties: map of {user_id, a_id, b_id, reason, at}, the ids ordered
// -> id
MERGE (k:RejectedMerge {tenant: $tenant, id: $id})
SET k += $properties
RETURN k.id AS id
