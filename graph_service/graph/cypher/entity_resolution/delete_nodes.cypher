// Takes nodes from the map; the edges of knowledge must be gone from them.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (e:Memory {tenant: $tenant, id: id})
WITH e, e.id AS id
DETACH DELETE e
RETURN id
