// Store the summary of a session; no row if its scenes have changed since. The session's state is locked before the scenes are read,
// in the same order as by forgetting, so that a forgotten text cannot come back in a summary.
// $tenant: str
// $session: str
// $scene_hashes: list of str, of the scenes that the summary was made of, oldest first
// $layers: map {title, abstract, overview, abstract_by, overview_by, layers_hash, layers_at}
// -> id
MATCH (l:SessionLifecycle {tenant: $tenant, id: $session})
SET l.layers_at = $layers.layers_at
WITH l
CALL (l) {
  OPTIONAL MATCH (s:Scene {tenant: $tenant, session_id: l.id}) WHERE s.start_ms >= 0
  WITH s ORDER BY s.start_ms, s.id
  RETURN collect(coalesce(s.layers_hash, s.content_hash)) AS now_hashes
}
WITH l WHERE now_hashes = $scene_hashes
SET l += $layers
RETURN l.id AS id
