// Delete messages with their vectors.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (m:Message {tenant: $tenant, id: id})
DETACH DELETE m
RETURN id
