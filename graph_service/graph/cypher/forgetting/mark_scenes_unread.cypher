// Mark scenes for extraction.
// $tenant: str
// $ids: list of str, ordered
// -> id, session, start_ms
UNWIND $ids AS id
MATCH (s:Memory:Scene {tenant: $tenant, id: id})
SET s.unextracted = true
RETURN s.id AS id, s.session_id AS session, s.start_ms AS start_ms
