// Delete facts and mentions by id. Indexes prefers_id … caused_by_id: a hub may have thousands of edges.
// $tenant: str
// $ids: list of str, ordered
// -> id
CALL () {
  {{each predicate, UNION ALL}}
  MATCH ()-[r:{{predicate}}]->() WHERE r.tenant = $tenant AND r.id IN $ids RETURN r
  {{end}}
}
WITH r, r.id AS id
DELETE r
RETURN id
