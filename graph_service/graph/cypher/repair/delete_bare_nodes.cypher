// Removes entities and agents that no edge joins to the map; one that got an edge meanwhile stays.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (n:Memory {tenant: $tenant, id: id})
WHERE (n:Entity OR n:Agent) AND n.merged IS NULL AND NOT EXISTS { (n)--(:Memory) }
WITH n, n.id AS id
DETACH DELETE n
RETURN id
