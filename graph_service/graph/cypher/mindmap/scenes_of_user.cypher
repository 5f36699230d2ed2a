// Scenes of a user or of one session, latest start first; the node as in map_nodes_by_id. Index memory_user.
// $tenant: str
// $user_id: str
// $session: str or null; only scenes of the session with this id
// $start_ms: int or null; with $after: only scenes after this position
// $after: str or null; scene id
// $by_tag: bool, $tags is given
// $tags: list of str, only scenes with a message that has one of these tags; used if $by_tag
// $rows_max: int
// -> start_ms, node
MATCH (s:Memory:Scene)
WHERE s.tenant = $tenant AND s.user_id = $user_id AND s.start_ms IS NOT NULL AND ($session IS NULL AND {{not_correction s}} OR s.session_id = $session)
  AND ($after IS NULL OR s.start_ms < $start_ms OR (s.start_ms = $start_ms AND s.id > $after))
  AND (NOT $by_tag OR EXISTS { MATCH (m:Message)-[:PART_OF]->(s) WHERE any(tag IN m.tags WHERE tag IN $tags) })
WITH s ORDER BY s.start_ms DESC, s.id LIMIT $rows_max
RETURN s.start_ms AS start_ms, [
  s.id, head([label IN labels(s) WHERE label <> 'Memory']), s.user_id, s.name, s.entity_type, s.aliases, s.abstract,
  s.importance, s.evidence_n,
  s.first_seen.epochSeconds * 1000000 + s.first_seen.microsecond,
  s.last_seen.epochSeconds * 1000000 + s.last_seen.microsecond] AS node
ORDER BY start_ms DESC, s.id
