// Values of items by id, while a filter is applied to many. Index item_id.
// hot
// $tenant: str
// $ids: list of str
// -> id, value
UNWIND $ids AS id
MATCH (i:Item {tenant: $tenant, id: id}) WHERE i.value IS NOT NULL
RETURN i.id AS id, i.value AS value
