// Open the jobs that extract from unread sessions of an import; idempotent. Several unread sessions of a user get one job, which reads them
// in the order they were said. Index session_id.
// $tenant: str
// $now_ms: int
// -> jobs
MATCH (s:Session {tenant: $tenant}) WHERE s.id > ''
  AND (EXISTS { (m:Message {tenant: $tenant, session_id: s.id, unread: true}) }
       OR EXISTS { (e:Episode {tenant: $tenant, session_id: s.id, unread: true}) }
       OR EXISTS { (x:Scene {tenant: $tenant, session_id: s.id, unextracted: true}) })
WITH s.user_node_id AS user, s.id AS session ORDER BY user, session
WITH user, collect(session) AS sessions
WITH CASE WHEN size(sessions) > 1 THEN user ELSE sessions[0] END AS about, CASE WHEN size(sessions) > 1 THEN sessions END AS sessions
MERGE (j:Job {tenant: $tenant, id: about + CASE WHEN sessions IS NULL THEN '/extract' ELSE '/reextract' END})
  ON CREATE SET j.kind = 'reextract', j.session = about, j.sessions = sessions, j.enqueue_count = 1, j.attempts = 0, j.due_ms = $now_ms,
                j.state = 'done'
WITH j WHERE j.state = 'done'
SET j.open = true, j.state = 'open'
RETURN count(j) AS jobs
