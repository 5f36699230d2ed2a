// Nodes of the mind map, with their structural links, for an export. Index memory_id.
// $tenant: str
// $ids: list of str
// $vectors: bool
// -> key, labels, properties, links
UNWIND $ids AS id
MATCH (n:Memory {tenant: $tenant, id: id})
RETURN n.id AS key, labels(n) AS labels, CASE WHEN $vectors THEN properties(n) ELSE n {{without_vectors}} END AS properties,
       COLLECT { MATCH (n)-[l:IN_SESSION]->(b {tenant: $tenant}) RETURN [type(l), b.id] } AS links
