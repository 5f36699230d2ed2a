// Removes scenes, entities, agents or a user, with every edge and vector they have.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (n:Memory {tenant: $tenant, id: id})
DETACH DELETE n
RETURN id
