// Delete entities and agents without relationships to the mind map; skip those that got one meanwhile.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (n:Memory {tenant: $tenant, id: id})
WHERE (n:Entity OR n:Agent) AND n.merged IS NULL AND NOT EXISTS { (n)--(:Memory) }
WITH n, n.id AS id
DETACH DELETE n
RETURN id
