// Create the jobs of a page of imported sessions by id; idempotent. Jobs are not exported, but derived from what is not embedded or read
// by a model, and from sessions that are closing; `open_unread` opens those that extract. Closing a session claims its other jobs too, so
// these are created even if they are done. Index session_id.
// $tenant: str
// $after: str, the last id of the page before
// $rows_max: int
// $now_ms: int
// -> id
MATCH (s:Session {tenant: $tenant}) WHERE s.id > $after
WITH s.id AS id ORDER BY id LIMIT $rows_max
OPTIONAL MATCH (l:SessionLifecycle {tenant: $tenant, id: id})
WITH id, coalesce(l.state, '') IN ['closing', 'indexing', 'extracting'] AS closing,
     EXISTS { (x:Scene {tenant: $tenant, session_id: id, unrefined: true}) } AS unrefined,
     EXISTS { (m:Message {tenant: $tenant, session_id: id, unembedded: true}) }
       OR EXISTS { (x:Scene {tenant: $tenant, session_id: id, unembedded: true}) }
       OR {{each fact, OR}}
       EXISTS { ()-[f:{{predicate}} {tenant: $tenant, unembedded_in: id}]->() }
       {{end}} AS unembedded
CALL (id, closing, unrefined, unembedded) {
  UNWIND [['extract', false], ['embed', unembedded], ['refine', unrefined], ['close', closing]] AS job
  WITH job[0] AS kind, job[1] AS is_open WHERE is_open OR kind IN ['extract', 'embed']
  MERGE (j:Job {tenant: $tenant, id: id + '/' + kind})
    ON CREATE SET j.kind = kind, j.session = id, j.enqueue_count = 1, j.attempts = 0, j.due_ms = $now_ms,
                  j.open = CASE WHEN is_open THEN true END, j.state = CASE WHEN is_open THEN 'open' ELSE 'done' END
}
RETURN id ORDER BY id
