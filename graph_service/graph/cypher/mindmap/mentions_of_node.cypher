// Messages that mention an entity, of the newest scenes. Unique index memory_id.
// $tenant: str
// $id: str
// $rows_max: int; of scenes
// -> evidence
MATCH (s:Memory)-[r:MENTIONED]->(:Memory {tenant: $tenant, id: $id})
WITH s, r ORDER BY s.last_seen DESC, s.id
LIMIT $rows_max
RETURN coalesce(r.evidence, []) AS evidence
