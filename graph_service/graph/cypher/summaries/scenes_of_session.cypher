// The summaries of a session and of its scenes, oldest scene first.
// $tenant: str
// $session: str
// -> layers_hash, scenes
// scenes: {name, abstract, overview, abstract_by, first_seen, evidence_n, layers_hash}
MATCH (l:SessionLifecycle {tenant: $tenant, id: $session})
CALL (l) {
  OPTIONAL MATCH (s:Scene {tenant: $tenant, session_id: l.id}) WHERE s.start_ms >= 0
  WITH s ORDER BY s.start_ms, s.id
  RETURN collect(s {.name, .abstract, .overview, .abstract_by, .first_seen, .evidence_n, layers_hash: coalesce(s.layers_hash, s.content_hash)}) AS scenes
}
RETURN l.layers_hash AS layers_hash, scenes
