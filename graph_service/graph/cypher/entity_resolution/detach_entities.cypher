// Keeps entities as they are by themselves, before a node of the map stands for several; those that are kept already stay.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (e:Memory:Entity {tenant: $tenant, id: id}) WHERE e.merged IS NULL
CREATE (h:HeldEntity)
SET h = properties(e), e.merged = true
CREATE (h)-[:STANDS_FOR]->(e)
RETURN h.id AS id
