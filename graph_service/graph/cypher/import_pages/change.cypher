// Write changes of an import; replaces all properties. Index change_seq.
// $tenant: str
// $rows: list of {seq, properties}
// -> written
UNWIND $rows AS row
MERGE (n:Change {tenant: $tenant, seq: row.seq})
SET n = row.properties
RETURN count(*) AS written
