// Sessions of a job `reextract` that still have unread messages or unextracted scenes, oldest first.
// $tenant: str
// $id: str, of the job
// -> session, first_ms
// Indexes message_unread and scene_unextracted.
MATCH (a:Job {tenant: $tenant, id: $id})
UNWIND a.sessions AS session
WITH DISTINCT session
CALL (session) {
  MATCH (m:Message {tenant: $tenant, session_id: session, unread: true}) RETURN m.said_ms AS at_ms
 UNION ALL
  MATCH (s:Scene {tenant: $tenant, session_id: session, unextracted: true}) RETURN s.start_ms AS at_ms
}
RETURN session, min(at_ms) AS first_ms
ORDER BY first_ms, session
