// Stores vectors of facts; one whose words changed since they were embedded keeps waiting.
// hot
// $tenant: str
// $rows: list of {id, predicate, statement, vector}, ordered by id
// -> id
// A relationship index needs its type spelled out, so this lists the types of schema/predicates.toml.
UNWIND $rows AS row
CALL (row) {
  WITH row WHERE row.predicate = 'PREFERS' MATCH ()-[r:PREFERS {tenant: $tenant, id: row.id}]->() RETURN r
 UNION ALL
  WITH row WHERE row.predicate = 'DISLIKES' MATCH ()-[r:DISLIKES {tenant: $tenant, id: row.id}]->() RETURN r
 UNION ALL
  WITH row WHERE row.predicate = 'CARES_ABOUT' MATCH ()-[r:CARES_ABOUT {tenant: $tenant, id: row.id}]->() RETURN r
 UNION ALL
  WITH row WHERE row.predicate = 'RELATES_TO' MATCH ()-[r:RELATES_TO {tenant: $tenant, id: row.id}]->() RETURN r
 UNION ALL
  WITH row WHERE row.predicate = 'CAUSED_BY' MATCH ()-[r:CAUSED_BY {tenant: $tenant, id: row.id}]->() RETURN r
}
WITH row, r WHERE r.statement = row.statement
CALL db.create.setRelationshipVectorProperty(r, 'embedding', row.vector)
SET r.unembedded_in = null
RETURN r.id AS id
