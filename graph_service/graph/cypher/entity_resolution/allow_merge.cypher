// Delete the record that two entities are different. Unique index rejected_merge_id.
// $tenant: str
// $id: str
// -> user_id
MATCH (k:RejectedMerge {tenant: $tenant, id: $id})
WITH k, k.user_id AS user_id
DELETE k
RETURN user_id
