// Store vectors of items; one that was written meanwhile waits for its own. Index item_id.
// hot
// $rows: list of {tenant, id, updated_at, vector}, ordered; vector null if the text has none
// -> id
UNWIND $rows AS row
MATCH (i:Item {tenant: row.tenant, id: row.id}) WHERE i.updated_at = row.updated_at
SET i.unembedded = null
WITH i, row
CALL (i, row) {
  WITH row WHERE row.vector IS NOT NULL
  CALL db.create.setNodeVectorProperty(i, 'embedding', row.vector)
  RETURN count(*) AS vectors
}
RETURN i.id AS id
