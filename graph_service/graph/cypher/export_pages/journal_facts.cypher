// A page of a tenant's facts by id, for a journal. Indexes prefers_id … caused_by_id.
// $tenant: str
// $after: str
// $rows: int
// -> id, user_id, statement, valid_at, invalid_at, rationale, importance, strength, evidence, quotes
CALL () {
  {{each fact, UNION ALL}}
  MATCH ()-[r:{{predicate}} {tenant: $tenant}]->() WHERE r.id > $after
  RETURN r ORDER BY r.tenant, r.id LIMIT $rows
  {{end}}
}
RETURN r.id AS id, r.user_id AS user_id, r.statement AS statement, r.valid_at AS valid_at, r.invalid_at AS invalid_at, r.rationale AS rationale,
  coalesce(r.importance, 5) AS importance, r.strength AS strength, head(r.evidence) AS evidence, r.quotes AS quotes
ORDER BY id LIMIT $rows
