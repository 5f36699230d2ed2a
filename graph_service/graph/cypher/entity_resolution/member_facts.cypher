// Facts of merged entities as stored before the merge, with the merged nodes of their ends. Indexes held_fact_subject, held_fact_object.
// $tenant: str
// $ids: list of entity ids
// -> subject_id, object_id, subject_root, object_root, predicate, properties
// The root is null for an end that is not merged.
UNWIND $ids AS id
CALL (id) {
  MATCH (h:HeldFact {tenant: $tenant, subject_id: id}) RETURN h
 UNION
  MATCH (h:HeldFact {tenant: $tenant, object_id: id}) RETURN h
}
WITH DISTINCT h
OPTIONAL MATCH (:HeldEntity {tenant: $tenant, id: h.subject_id})-[:STANDS_FOR]->(s:Memory)
OPTIONAL MATCH (:HeldEntity {tenant: $tenant, id: h.object_id})-[:STANDS_FOR]->(o:Memory)
RETURN h.subject_id AS subject_id, h.object_id AS object_id, s.id AS subject_root, o.id AS object_root, h.predicate AS predicate,
       properties(h) AS properties
ORDER BY h.id
