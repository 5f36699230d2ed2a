// One fact or mention with both ends; no row if the tenant has none with this id. Indexes prefers_id … caused_by_id.
// $tenant: str
// $id: str
// -> subject_id, object_id, predicate, properties, subject, object
CALL () {
  {{each predicate, UNION ALL}}
  MATCH ()-[r:{{predicate}} {tenant: $tenant, id: $id}]->() RETURN r
  {{end}}
}
WITH r, startNode(r) AS s, endNode(r) AS o
RETURN s.id AS subject_id, o.id AS object_id, type(r) AS predicate, r {.*, embedding: null} AS properties,
       s {.name, .user_id, .entity_type, labels: labels(s)} AS subject, o {.name, .user_id, .entity_type, labels: labels(o)} AS object
