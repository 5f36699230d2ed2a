// Cancel jobs of one tenant for good; a worker that has leased one loses the lease, and its result is discarded. A session whose closing is
// cancelled is closed.
// $tenant: str
// $ids: list of str
// -> id
UNWIND $ids AS id
MATCH (j:Job {tenant: $tenant, id: id}) WHERE j.state IN ['open', 'leased', 'dead']
WITH j ORDER BY j.id
SET j.state = 'cancelled', j.open = null, j.lease = null, j.lease_until_ms = null, j.unavailable_service = null, j.too_slow = null
WITH j
OPTIONAL MATCH (l:SessionLifecycle {tenant: $tenant, id: j.session}) WHERE j.kind = 'close' AND l.state IN ['closing', 'indexing', 'extracting']
SET l.state = 'closed', l.closed_at = datetime()
RETURN j.id AS id
