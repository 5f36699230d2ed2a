// A page of a tenant's entities and agents without relationships to the mind map, by id.
// $tenant: str
// $after: str, the last id of the page before
// $rows_max: int
// -> id, user_id
// Digests write a node together with its relationships, so a node without any is an orphan.
MATCH (n:Memory {tenant: $tenant})
WHERE n.id > $after AND (n:Entity OR n:Agent) AND n.merged IS NULL AND NOT EXISTS { (n)--(:Memory) }
WITH n ORDER BY n.id LIMIT $rows_max
RETURN n.id AS id, n.user_id AS user_id
