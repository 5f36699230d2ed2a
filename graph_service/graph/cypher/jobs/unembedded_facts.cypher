// Facts that wait for a vector in some sessions of a tenant.
// hot
// $tenant: str
// $sessions: list of str
// $rows_max: int
// -> user_node_id, id, predicate, statement
// The indexes are named, as in unembedded_messages; a relationship index needs its type spelled out, so this lists the types of
// schema/predicates.toml.
UNWIND $sessions AS session
MATCH (x:Session {tenant: $tenant, id: session})
CALL (session) {
  MATCH ()-[r:PREFERS {tenant: $tenant, unembedded_in: session}]->() USING INDEX SEEK r:PREFERS(tenant, unembedded_in) RETURN r
 UNION ALL
  MATCH ()-[r:DISLIKES {tenant: $tenant, unembedded_in: session}]->() USING INDEX SEEK r:DISLIKES(tenant, unembedded_in) RETURN r
 UNION ALL
  MATCH ()-[r:CARES_ABOUT {tenant: $tenant, unembedded_in: session}]->() USING INDEX SEEK r:CARES_ABOUT(tenant, unembedded_in) RETURN r
 UNION ALL
  MATCH ()-[r:RELATES_TO {tenant: $tenant, unembedded_in: session}]->() USING INDEX SEEK r:RELATES_TO(tenant, unembedded_in) RETURN r
 UNION ALL
  MATCH ()-[r:CAUSED_BY {tenant: $tenant, unembedded_in: session}]->() USING INDEX SEEK r:CAUSED_BY(tenant, unembedded_in) RETURN r
}
WITH session, x, r ORDER BY session, r.id LIMIT $rows_max
RETURN x.user_node_id AS user_node_id, r.id AS id, type(r) AS predicate, r.statement AS statement
