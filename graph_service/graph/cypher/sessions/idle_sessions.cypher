// Active sessions without recent messages. Over all tenants on purpose: one worker serves them.
// hot
// $last_before_ms: int
// $rows_max: int
// -> tenant, session
MATCH (l:SessionLifecycle {state: 'active'}) WHERE l.last_ms <= $last_before_ms
WITH l ORDER BY l.last_ms LIMIT $rows_max
RETURN l.tenant AS tenant, l.id AS session
