// Mark facts as waiting for vectors.
// $tenant: str
// $rows: list of {node, id, session}, ordered by id
// -> id
UNWIND $rows AS row
MATCH (:Memory {tenant: $tenant, id: row.node})-[f {id: row.id}]->(:Memory)
SET f.unembedded_in = row.session
RETURN f.id AS id
