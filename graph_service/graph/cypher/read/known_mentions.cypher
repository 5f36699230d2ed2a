// Who and what the given scenes are known to mention.
// hot
// $tenant: str
// $scene_ids: list of str
// -> subject_id, object_id, predicate, properties
UNWIND $scene_ids AS scene_id
MATCH (s:Memory {tenant: $tenant, id: scene_id})-[r:MENTIONED]->(b:Memory)
RETURN s.id AS subject_id, b.id AS object_id, type(r) AS predicate, properties(r) AS properties
