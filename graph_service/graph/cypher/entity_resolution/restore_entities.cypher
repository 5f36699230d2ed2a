// Restore entities from their MemberEntity nodes exactly as they were before the merge.
// $tenant: str
// $ids: list of str, ordered
// -> id
UNWIND $ids AS id
MATCH (h:MemberEntity {tenant: $tenant, id: id})
MERGE (e:Memory {tenant: $tenant, id: id}) ON CREATE SET e:Entity
WITH id, h, e, properties(h) AS properties
{{replaced e}}
SET e.parent_id = null, e.merge_id = null, e.merge_reason = null, e.merged_at = null
DETACH DELETE h
RETURN id
