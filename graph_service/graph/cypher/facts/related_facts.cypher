// Facts that new facts may repeat, continue or contradict: same subject and either the same object, the same attribute or a near-duplicate
// statement, or one fact replaces the other; and the mentions of the given scenes. Of merged entities, the facts as before the merge.
// hot
// $tenant: str
// $keys: list of {subject_id, object_ids, predicates, attributes, claim_ids, similarity_keys}
// $scene_ids: list of str
// $have: list of fact ids that were read before and are left out
// -> subject_id, object_id, object_name, predicate, properties
// A caller that widens the search passes $have, so that each fact is read once. No DISTINCT over
// properties: they may be large.
UNWIND $keys AS key
MATCH (a:Memory {tenant: $tenant, id: key.subject_id})-[r:{{predicates}}]->(b:Memory)
WHERE r.tenant = $tenant AND r.merged IS NULL AND NOT r.id IN $have
  AND (type(r) IN key.predicates AND (b.id IN key.object_ids OR r.attribute IN key.attributes OR any(word IN r.similarity_keys WHERE word IN key.similarity_keys))
       OR r.id IN key.claim_ids OR any(x IN r.replaces WHERE x IN key.claim_ids))
WITH DISTINCT a, r, b
RETURN a.id AS subject_id, b.id AS object_id, b.name AS object_name, type(r) AS predicate, r {.*, embedding: null} AS properties
UNION ALL
UNWIND $keys AS key
MATCH (h:MemberFact {tenant: $tenant, subject_id: key.subject_id})
WHERE NOT h.id IN $have
  AND (h.predicate IN key.predicates AND (h.object_id IN key.object_ids OR h.attribute IN key.attributes
         OR any(word IN h.similarity_keys WHERE word IN key.similarity_keys))
       OR h.id IN key.claim_ids OR any(x IN h.replaces WHERE x IN key.claim_ids))
WITH DISTINCT h
OPTIONAL MATCH (b:Memory {tenant: $tenant, id: h.object_id})
OPTIONAL MATCH (apart:MemberEntity {tenant: $tenant, id: h.object_id})
RETURN h.subject_id AS subject_id, h.object_id AS object_id, coalesce(apart.name, b.name) AS object_name, h.predicate AS predicate, properties(h) AS properties
UNION ALL
UNWIND $scene_ids AS scene_id
MATCH (a:Memory {tenant: $tenant, id: scene_id})-[r:MENTIONED]->(b:Memory)
WHERE r.tenant = $tenant AND r.merged IS NULL
RETURN a.id AS subject_id, b.id AS object_id, null AS object_name, type(r) AS predicate, properties(r) AS properties
UNION ALL
UNWIND $scene_ids AS scene_id
MATCH (h:MemberFact {tenant: $tenant, subject_id: scene_id}) WHERE h.predicate = 'MENTIONED'
RETURN h.subject_id AS subject_id, h.object_id AS object_id, null AS object_name, h.predicate AS predicate, properties(h) AS properties
