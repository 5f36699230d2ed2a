// Facts of merged entities as stored before the merge, with the nodes that represent their ends. Indexes member_fact_subject, member_fact_object.
// $tenant: str
// $ids: list of entity ids
// -> subject_id, object_id, subject_root, object_root, predicate, properties
// The root of an end that is not merged is the end itself.
UNWIND $ids AS id
CALL (id) {
  MATCH (h:MemberFact {tenant: $tenant, subject_id: id}) RETURN h
 UNION
  MATCH (h:MemberFact {tenant: $tenant, object_id: id}) RETURN h
}
WITH DISTINCT h
OPTIONAL MATCH (:MemberEntity {tenant: $tenant, id: h.subject_id})-[:MEMBER_OF]->(s:Memory)
OPTIONAL MATCH (:MemberEntity {tenant: $tenant, id: h.object_id})-[:MEMBER_OF]->(o:Memory)
RETURN h.subject_id AS subject_id, h.object_id AS object_id, coalesce(s.id, h.subject_id) AS subject_root,
       coalesce(o.id, h.object_id) AS object_root, h.predicate AS predicate, properties(h) AS properties
ORDER BY h.id
