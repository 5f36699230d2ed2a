// Delete scenes, entities, agents or a user, with all relationships and vectors.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (n:Memory {tenant: $tenant, id: id})
DETACH DELETE n
RETURN id
