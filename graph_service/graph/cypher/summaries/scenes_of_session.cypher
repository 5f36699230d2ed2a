// The summaries of a session and of its scenes, oldest scene first.
// $tenant: str
// $session: str
// -> layers_hash, scenes
// scenes: {name, abstract, overview, abstract_by, first_seen, evidence_n, layers_hash, zone}; the zone is that of its first message
MATCH (l:SessionLifecycle {tenant: $tenant, id: $session})
CALL (l) {
  OPTIONAL MATCH (s:Scene {tenant: $tenant, session_id: l.id}) WHERE s.start_ms >= 0
  WITH s ORDER BY s.start_ms, s.id
  RETURN collect(s {.name, .abstract, .overview, .abstract_by, .first_seen, .evidence_n, layers_hash: coalesce(s.layers_hash, s.content_hash),
    zone: head(COLLECT { MATCH (m:Message)-[:PART_OF]->(s) WHERE m.zone IS NOT NULL RETURN m.zone ORDER BY m.said_ms LIMIT 1 })}) AS scenes
}
RETURN l.layers_hash AS layers_hash, scenes
