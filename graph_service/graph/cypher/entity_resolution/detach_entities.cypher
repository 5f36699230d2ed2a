// Copy entities into HeldEntity nodes before a merge; entities that have one already are skipped.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (e:Memory:Entity {tenant: $tenant, id: id}) WHERE e.merged IS NULL
CREATE (h:HeldEntity)
SET h = properties(e), e.merged = true
CREATE (h)-[:STANDS_FOR]->(e)
RETURN h.id AS id
