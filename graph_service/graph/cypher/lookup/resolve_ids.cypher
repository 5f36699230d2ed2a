// The node for each id: a node of the mind map, or the merged node of a member. Unique indexes memory_id and member_entity_id.
// $tenant: str
// $ids: list of str
// -> id, user_id, labels, root_id
UNWIND $ids AS id
OPTIONAL MATCH (n:Memory {tenant: $tenant, id: id})
OPTIONAL MATCH (h:MemberEntity {tenant: $tenant, id: id})-[:MEMBER_OF]->(root:Memory)
WITH id, n, h, root WHERE n IS NOT NULL OR h IS NOT NULL
RETURN id, coalesce(n.user_id, h.user_id) AS user_id, labels(n) AS labels, root.id AS root_id
