// Mark items as waiting for a vector. Index item_id.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (i:Item {tenant: $tenant, id: id})
SET i.unembedded = true
REMOVE i.embedding
RETURN i.id AS id
