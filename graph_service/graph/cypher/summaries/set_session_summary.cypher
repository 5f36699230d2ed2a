// Stores the layer texts of a session beside its state; no row when its scenes are not told as they were any more. The session's
// life is locked before they are looked at, because forgetting locks it too: what was forgotten must not come back in a text.
// $tenant: str
// $session: str
// $scene_hashes: list of str, of what the texts were made, the oldest scene first
// $layers: map {title, abstract, overview, layers_hash, layers_at}
// -> id
MATCH (l:SessionLife {tenant: $tenant, id: $session})
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
