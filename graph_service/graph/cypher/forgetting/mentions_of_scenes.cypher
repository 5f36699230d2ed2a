// Mentions of some scenes, before merges. Indexes memory_id, member_fact_subject.
// $tenant: str
// $ids: list of scene ids
// -> scene_id, object_id, id, is_member
UNWIND $ids AS scene_id
CALL (scene_id) {
  MATCH (:Memory {tenant: $tenant, id: scene_id})-[r:MENTIONED]->(n:Memory) WHERE r.merged IS NULL
  RETURN n.id AS object_id, r.id AS id, false AS is_member
 UNION
  MATCH (h:MemberFact {tenant: $tenant, subject_id: scene_id}) WHERE h.predicate = 'MENTIONED'
  RETURN h.object_id AS object_id, h.id AS id, true AS is_member
}
RETURN scene_id, object_id, id, is_member
ORDER BY id
