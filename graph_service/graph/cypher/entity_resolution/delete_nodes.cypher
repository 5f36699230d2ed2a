// Delete nodes of the mind map; their facts must have been deleted before.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (e:Memory {tenant: $tenant, id: id})
WITH e, e.id AS id
DETACH DELETE e
RETURN id
