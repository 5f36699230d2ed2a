// Enqueue the extraction of the scenes of a session that were not read because automatic extraction is off, or read by rules because
// no model was available. Index scene_session.
// $tenant: str
// $session: str, node id
// $reason: str, why they were not read, or null for any reason
// -> scenes
MATCH (s:Scene {tenant: $tenant, session_id: $session})
WHERE s.fallback_reason IS NOT NULL AND ($reason IS NULL OR s.fallback_reason = $reason)
WITH s ORDER BY s.id
SET s.unextracted = true, s.fallback_reason = null
RETURN count(s) AS scenes
