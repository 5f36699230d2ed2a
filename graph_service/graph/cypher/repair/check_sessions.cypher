// A page of a tenant's sessions by id, with flags for missing jobs: unread messages without an extract job, unembedded messages, scenes
// or facts without an embed job, an unfinished closing without a close job, scenes of a closed session that only the local reader has
// read without a refine job.
// $tenant: str
// $after: str, the last id of the page before
// $rows_max: int
// -> id, missing_extract, missing_embed, missing_close, missing_refine
// While the job `reextract` of a user is open, sessions need no extract job. Dead and cancelled jobs are not missing: they are listed
// elsewhere.
MATCH (s:Session {tenant: $tenant}) WHERE s.id > $after
WITH s ORDER BY s.id LIMIT $rows_max
CALL (s) {
  UNWIND ['extract', 'embed', 'close', 'refine'] AS kind
  OPTIONAL MATCH (j:Job {tenant: $tenant, id: s.id + '/' + kind})
  WITH kind, j WHERE j IS NULL OR j.state = 'done' OR (j.state = 'open' AND j.open IS NULL)
  RETURN collect(kind) AS without_job
}
OPTIONAL MATCH (a:Job {tenant: $tenant, id: s.user_node_id + '/reextract'})
OPTIONAL MATCH (l:SessionLifecycle {tenant: $tenant, id: s.id})
WITH s, without_job, coalesce(l.state, '') AS state, a IS NULL OR a.state IN ['done', 'cancelled'] AS not_rereading
RETURN s.id AS id,
       'extract' IN without_job AND not_rereading
         AND (EXISTS { (m:Message {tenant: $tenant, session_id: s.id, unread: true}) }
              OR state = 'closed' AND EXISTS { (x:Scene {tenant: $tenant, session_id: s.id, unextracted: true}) }) AS missing_extract,
       'embed' IN without_job
         AND (EXISTS { (m:Message {tenant: $tenant, session_id: s.id, unembedded: true}) }
              OR EXISTS { (x:Scene {tenant: $tenant, session_id: s.id, unembedded: true}) }
              OR {{each fact, OR}}
              EXISTS { ()-[f:{{predicate}} {tenant: $tenant, unembedded_in: s.id}]->() }
              {{end}}) AS missing_embed,
       'close' IN without_job AND state IN ['closing', 'indexing', 'extracting'] AS missing_close,
       'refine' IN without_job AND state IN ['', 'closed']
         AND EXISTS { (x:Scene {tenant: $tenant, session_id: s.id, unrefined: true}) WHERE x.unextracted IS NULL } AS missing_refine
