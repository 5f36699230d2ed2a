// Scenes other than some given ones that still mention entities and agents, and evidence messages of those.
// $tenant: str
// $ids: list of entity and agent ids
// $without: list of scene ids
// $evidence_max: int
// -> id, labels, is_member, root_id, properties, scenes, evidence, first_seen, last_seen
UNWIND $ids AS id
OPTIONAL MATCH (h:MemberEntity {tenant: $tenant, id: id})
OPTIONAL MATCH (h)-[:MEMBER_OF]->(root:Memory)
OPTIONAL MATCH (n:Memory {tenant: $tenant, id: id})
WITH id, h, root, n WHERE (h IS NOT NULL OR n:Entity OR n:Agent)
CALL (id, h, n) {
  CALL (id, h, n) {
    MATCH (s:Scene)-[r:MENTIONED]->(n)
    WHERE h IS NULL AND r.merged IS NULL AND NOT s.id IN $without
    RETURN s.id AS scene, r.evidence AS proofs, r.first_seen AS first, r.last_seen AS last
   UNION ALL
    MATCH (f:MemberFact {tenant: $tenant, object_id: id})
    WHERE f.predicate = 'MENTIONED' AND NOT f.subject_id IN $without
    RETURN f.subject_id AS scene, f.evidence AS proofs, f.first_seen AS first, f.last_seen AS last
  }
  WITH scene, proofs, first, last ORDER BY last DESC, scene
  RETURN collect(scene) AS scenes, reduce(all = [], p IN collect(proofs) | all + p)[0..$evidence_max] AS evidence,
         min(first) AS first_seen, max(last) AS last_seen
}
RETURN id, labels(n) AS labels, h IS NOT NULL AS is_member, root.id AS root_id, properties(coalesce(h, n)) AS properties, scenes, evidence,
       first_seen, last_seen
ORDER BY id
