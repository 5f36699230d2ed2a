// The members of some merged entities. Unique index memory_id.
// $tenant: str
// $roots: list of str
// -> root_id, properties
UNWIND $roots AS root
MATCH (e:Memory {tenant: $tenant, id: root})<-[:MEMBER_OF]-(h:MemberEntity)
RETURN e.id AS root_id, properties(h) AS properties
ORDER BY h.id
