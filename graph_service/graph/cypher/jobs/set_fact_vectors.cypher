// Store vectors of facts; a fact whose statement has changed meanwhile stays unembedded.
// hot
// $tenant: str
// $rows: list of {id, predicate, statement, vector}, ordered by id
// -> id
UNWIND $rows AS row
CALL (row) {
  {{each fact, UNION ALL}}
  WITH row WHERE row.predicate = '{{predicate}}' MATCH ()-[r:{{predicate}} {tenant: $tenant, id: row.id}]->() RETURN r
  {{end}}
}
WITH row, r WHERE r.statement = row.statement
CALL db.create.setRelationshipVectorProperty(r, 'embedding', row.vector)
SET r.unembedded_in = null
RETURN r.id AS id
