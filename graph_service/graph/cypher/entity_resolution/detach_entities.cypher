// Copy entities into MemberEntity nodes before a merge; entities that have one already are skipped.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (e:Memory:Entity {tenant: $tenant, id: id}) WHERE e.merged IS NULL
CREATE (h:MemberEntity)
SET h = properties(e), e.merged = true
CREATE (h)-[:MEMBER_OF]->(e)
RETURN h.id AS id
