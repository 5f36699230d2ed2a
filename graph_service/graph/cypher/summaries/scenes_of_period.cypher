// The summaries of a user's scenes that began in a time, oldest first, each with its session and the time zone of its first message. Index
// memory_user.
// $tenant: str
// $user_id: str
// $from_ms: int
// $to_ms: int
// $rows_max: int
// -> session, behind, zone, scene
// scene: {name, abstract, overview, abstract_by, first_seen, last_seen, evidence_n, layers_hash}
MATCH (s:Memory:Scene)
WHERE s.tenant = $tenant AND s.user_id = $user_id AND s.start_ms >= $from_ms AND s.start_ms < $to_ms AND {{not_correction s}}
WITH s ORDER BY s.start_ms, s.id LIMIT $rows_max
RETURN s.session_id AS session, s.layers_behind IS NOT NULL AS behind,
       head(COLLECT { MATCH (s)<-[:PART_OF]-(m:Message) RETURN m.zone ORDER BY m.said_ms, m.position LIMIT 1 }) AS zone,
       s {.name, .abstract, .overview, .abstract_by, .first_seen, .last_seen, .evidence_n, layers_hash: coalesce(s.layers_hash, s.content_hash)} AS scene
ORDER BY s.start_ms, s.id
