// The merged entity with this id or this merge id; no row if it is not merged into another. Few nodes have this label.
// $tenant: str
// $id: str
// -> id, user_id, root_id, merge_id, reason
MATCH (h:MemberEntity {tenant: $tenant})-[:MEMBER_OF]->(root:Memory)
WHERE h.parent_id IS NOT NULL AND (h.id = $id OR h.merge_id = $id)
RETURN h.id AS id, h.user_id AS user_id, root.id AS root_id, h.merge_id AS merge_id, h.merge_reason AS reason
