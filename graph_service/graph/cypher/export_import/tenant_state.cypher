// The tenant's properties, and counters that change whenever its data does. No row: no such tenant. Indexes tenant_id, message_id,
// job_id.
// $tenant: str
// -> tenant, messages, enqueued
MATCH (t:Tenant {id: $tenant})
RETURN properties(t) AS tenant, COUNT { MATCH (m:Message {tenant: $tenant}) WHERE m.id > '' } AS messages,
       reduce(n = 0, k IN COLLECT { MATCH (j:Job {tenant: $tenant}) WHERE j.id > '' RETURN j.enqueue_count + coalesce(j.claims, 0) } | n + k) AS enqueued
