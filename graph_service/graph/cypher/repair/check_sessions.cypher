// A page of a tenant's sessions by id: whether data waits for a job that is not enqueued: messages for reading, messages, scenes or facts
// for vectors, the session for closing.
// $tenant: str
// $after: str, the last id of the page before
// $rows_max: int
// -> id, lost_extract, lost_embed, lost_close
// While a user's memory is re-read, sessions wait for that without a read job of their own. Dead and cancelled jobs are not lost:
// they are listed elsewhere.
MATCH (s:Session {tenant: $tenant}) WHERE s.id > $after
WITH s ORDER BY s.id LIMIT $rows_max
CALL (s) {
  UNWIND ['extract', 'embed', 'close'] AS kind
  OPTIONAL MATCH (j:Job {tenant: $tenant, id: s.id + '/' + kind})
  WITH kind, j WHERE j IS NULL OR j.state = 'done' OR (j.state = 'open' AND j.open IS NULL)
  RETURN collect(kind) AS unasked
}
OPTIONAL MATCH (a:Job {tenant: $tenant, id: s.user_node_id + '/reextract'})
OPTIONAL MATCH (l:SessionLifecycle {tenant: $tenant, id: s.id})
WITH s, unasked, coalesce(l.state, '') AS state, a IS NULL OR a.state IN ['done', 'cancelled'] AS in_turn
RETURN s.id AS id,
       'extract' IN unasked AND in_turn
         AND (EXISTS { (m:Message {tenant: $tenant, session_id: s.id, unread: true}) }
              OR state = 'closed' AND EXISTS { (x:Scene {tenant: $tenant, session_id: s.id, unextracted: true}) }) AS lost_extract,
       'embed' IN unasked
         AND (EXISTS { (m:Message {tenant: $tenant, session_id: s.id, unembedded: true}) }
              OR EXISTS { (x:Scene {tenant: $tenant, session_id: s.id, unembedded: true}) }
              OR {{each fact, OR}}
              EXISTS { ()-[f:{{predicate}} {tenant: $tenant, unembedded_in: s.id}]->() }
              {{end}}) AS lost_embed,
       'close' IN unasked AND state IN ['closing', 'indexing', 'extracting'] AS lost_close
