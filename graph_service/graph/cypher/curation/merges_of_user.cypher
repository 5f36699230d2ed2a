// Merges of entities of one user's memory that were not split, latest first. Few nodes have this label.
// $tenant: str
// $user_id: str
// $automatic: str, reason of merges that no person made
// $rows_max: int
// -> merge_id, merged_id, merged_name, kept_id, kept_name, reason, at
MATCH (h:MemberEntity {tenant: $tenant})-[:MEMBER_OF]->(root:Memory)
WHERE h.user_id = $user_id AND h.parent_id IS NOT NULL AND h.merge_reason <> $automatic
WITH h, root ORDER BY h.merged_at DESC, h.id LIMIT $rows_max
RETURN h.merge_id AS merge_id, h.id AS merged_id, h.name AS merged_name, root.id AS kept_id, root.name AS kept_name,
       h.merge_reason AS reason, h.merged_at AS at
