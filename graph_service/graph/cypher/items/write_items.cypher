// Store or delete locked items; replaces all properties, the vector too. Index item_id.
// hot
// $tenant: str
// $rows: list of {id, properties}, ordered by id; properties null to delete
// -> id
UNWIND $rows AS row
MATCH (i:Item {tenant: $tenant, id: row.id})
FOREACH (_ IN CASE WHEN row.properties IS NULL THEN [] ELSE [1] END | SET i = row.properties)
FOREACH (_ IN CASE WHEN row.properties IS NULL THEN [1] ELSE [] END | DELETE i)
RETURN row.id AS id
