// Facts that wait for a vector in some sessions of a tenant.
// hot
// $tenant: str
// $sessions: list of str
// $rows_max: int
// -> user_node_id, id, predicate, statement
// Indexes are named, as in unembedded_messages.
UNWIND $sessions AS session
MATCH (x:Session {tenant: $tenant, id: session})
CALL (session) {
  {{each fact, UNION ALL}}
  MATCH ()-[r:{{predicate}} {tenant: $tenant, unembedded_in: session}]->() USING INDEX SEEK r:{{predicate}}(tenant, unembedded_in) RETURN r
  {{end}}
}
WITH session, x, r ORDER BY session, r.id LIMIT $rows_max
RETURN x.user_node_id AS user_node_id, r.id AS id, type(r) AS predicate, r.statement AS statement
