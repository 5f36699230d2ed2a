// A page of the messages of a session or of one of its scenes (L2), oldest first, limited by characters.
// $tenant: str
// $session: str
// $scene: str or null; only messages of this scene
// $said_ms: int or null; with $position and $after: only messages after this position
// $position: int or null
// $after: str or null
// $rows_max: int
// $chars_max: int; the first message is returned even if it is longer
// -> uri, speaker, role, said_at, zone, text, key, more
// key: [said_ms, position, id], the position of the message; more: true if further messages follow
MATCH (m:Message {tenant: $tenant, session_id: $session})
WHERE m.text <> '' AND ($scene IS NULL OR EXISTS { (m)-[:PART_OF]->(:Scene {tenant: $tenant, id: $scene}) })
  AND ($said_ms IS NULL OR m.said_ms > $said_ms OR (m.said_ms = $said_ms AND (coalesce(m.position, 9007199254740991) > $position
       OR (coalesce(m.position, 9007199254740991) = $position AND m.id > $after))))
WITH m ORDER BY m.said_ms, m.position, m.id LIMIT $rows_max + 1
// Ids and lengths only, so that the texts of messages over the limit are not loaded.
WITH collect([m.id, size(m.text)]) AS found
WITH found, reduce(fit = [0, 0], one IN found[0..$rows_max] |
  CASE WHEN fit[1] > 0 AND fit[0] + one[1] > $chars_max THEN [$chars_max + 1, fit[1]] ELSE [fit[0] + one[1], fit[1] + 1] END)[1] AS fits
UNWIND found[0..fits] AS one
MATCH (m:Message {tenant: $tenant, id: one[0]})
WITH m, size(found) > fits AS more ORDER BY m.said_ms, m.position, m.id
RETURN m.uri AS uri, m.speaker AS speaker, m.role AS role, m.said_at AS said_at, m.zone AS zone, m.text AS text,
       [m.said_ms, coalesce(m.position, 9007199254740991), m.id] AS key, more
