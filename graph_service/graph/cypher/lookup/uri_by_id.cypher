// The URI of the node, message, session or fact with this id; no row if the tenant has none. Unique indexes, and prefers_id … caused_by_id.
// $tenant: str
// $id: str
// -> uri
CALL () {
  MATCH (n:Memory {tenant: $tenant, id: $id}) RETURN n.uri AS uri
 UNION ALL
  MATCH (l:SessionLifecycle {tenant: $tenant, id: $id}) RETURN l.uri AS uri
 UNION ALL
  MATCH (m:Message {tenant: $tenant, id: $id}) RETURN m.uri AS uri
 UNION ALL
  {{each predicate, UNION ALL}}
  MATCH ()-[r:{{predicate}} {tenant: $tenant, id: $id}]->() RETURN r.uri AS uri
  {{end}}
}
RETURN uri
