// Make jobs with malformed properties dead letters, repaired from their id, so that they can be listed, retried and cancelled. Over all
// tenants on purpose: one worker serves them and must not stop at one job. Not hot: run at the start of a worker, every ten minutes, and
// after a claim returned such a job.
// $kinds: list of str; all existing kinds
// $error: str
// $now_ms: int
// -> tenant, id, kind
MATCH (j:Job) WHERE j.open IS NOT NULL AND NOT (
  j.open IS :: BOOLEAN AND j.tenant IS :: STRING NOT NULL AND j.id IS :: STRING NOT NULL AND j.session IS :: STRING NOT NULL
  AND j.kind IS :: STRING NOT NULL AND j.kind IN $kinds AND j.state IS :: STRING
  AND j.enqueue_count IS :: INTEGER NOT NULL AND j.attempts IS :: INTEGER NOT NULL AND j.attempts >= 0
  AND j.due_ms IS :: INTEGER NOT NULL AND j.lease_until_ms IS :: INTEGER AND j.lease IS :: STRING AND j.claims IS :: INTEGER)
WITH j ORDER BY elementId(j)
SET j.touched_ms = $now_ms
WITH j, CASE WHEN j.id IS :: STRING NOT NULL THEN split(j.id, '/') ELSE [] END AS parts
WITH j, CASE WHEN j.kind IS :: STRING NOT NULL AND j.kind IN $kinds THEN j.kind
             WHEN size(parts) > 1 AND parts[-1] IN $kinds THEN parts[-1] ELSE $kinds[0] END AS kind, coalesce(parts[0], '') AS about
SET j.open = null, j.lease = null, j.lease_until_ms = null, j.claims = null, j.unavailable_service = null, j.kind = kind,
    j.session = CASE WHEN j.session IS :: STRING NOT NULL THEN j.session ELSE about END,
    j.enqueue_count = CASE WHEN j.enqueue_count IS :: INTEGER NOT NULL THEN j.enqueue_count ELSE 1 END,
    j.attempts = CASE WHEN j.attempts IS :: INTEGER NOT NULL AND j.attempts >= 0 THEN j.attempts ELSE 0 END,
    j.due_ms = CASE WHEN j.due_ms IS :: INTEGER NOT NULL THEN j.due_ms ELSE $now_ms END,
    // Without tenant and id no tenant could list the job.
    j.state = CASE WHEN j.tenant IS :: STRING NOT NULL AND j.id IS :: STRING NOT NULL THEN 'dead' ELSE 'cancelled' END,
    j.error = $error, j.failed_ms = $now_ms
RETURN j.tenant AS tenant, j.id AS id, kind
