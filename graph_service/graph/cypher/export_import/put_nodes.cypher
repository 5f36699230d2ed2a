// Write nodes of one kind of an import; replaces all properties, and sets vectors in the form the vector index needs. The label of a row
// becomes a node label, so it must be one of schema/labels.py. Indexes memory_id … change_seq.
// $tenant: str
// $kind: str, a label of EXPORTED_KEYS in schema/labels.py
// $rows: list of {key, label, properties, vectors}; vectors a list of [property, vector]
// -> written
UNWIND $rows AS row
CALL (row) {
  {{each exported, UNION ALL}}
  WITH row WHERE $kind = '{{label}}'
  MERGE (n:{{label}} {tenant: $tenant, {{key}}: row.key})
  SET n = row.properties
  RETURN n
  {{end}}
}
SET n:$(row.label)
WITH n, row
CALL (n, row) {
  UNWIND row.vectors AS pair
  CALL db.create.setNodeVectorProperty(n, pair[0], pair[1])
  RETURN count(*) AS vectors
}
RETURN count(*) AS written
