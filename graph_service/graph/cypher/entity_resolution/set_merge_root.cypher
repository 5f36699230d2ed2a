// Set the node that represents each member, and the entity that it was merged into.
// $tenant: str
// $rows: list of {id, root_id, parent_id, merge_id, reason, at}, ordered by id; the last four are null for a root
// -> id
UNWIND $rows AS row
MATCH (h:MemberEntity {tenant: $tenant, id: row.id})
OPTIONAL MATCH (h)-[old:MEMBER_OF]->()
DELETE old
WITH DISTINCT h, row
MATCH (root:Memory {tenant: $tenant, id: row.root_id})
CREATE (h)-[:MEMBER_OF]->(root)
SET h.parent_id = row.parent_id, h.merge_id = row.merge_id, h.merge_reason = row.reason, h.merged_at = row.at
RETURN h.id AS id
