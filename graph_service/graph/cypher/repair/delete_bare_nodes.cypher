// Delete entities and agents without relationships to the mind map; skip those that got one meanwhile.
// $tenant: str
// $rows: list of {id}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (n:Memory {tenant: $tenant, id: row.id})
WHERE (n:Entity OR n:Agent) AND n.merged IS NULL AND NOT EXISTS { (n)--(:Memory) }
WITH n, n.id AS id
DETACH DELETE n
RETURN id
