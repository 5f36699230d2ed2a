// Delete rejected merges of deleted entities. Few nodes have this label.
// $tenant: str
// $ids: list of entity ids
// -> id
MATCH (k:RejectedMerge {tenant: $tenant}) WHERE k.a_id IN $ids OR k.b_id IN $ids
WITH k, k.id AS id
DELETE k
RETURN id
