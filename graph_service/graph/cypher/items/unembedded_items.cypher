// Items of all tenants that wait for a vector. Index item_unembedded.
// hot
// $exclude_tenants: list of str
// $rows_max: int
// -> tenant, id, text, updated_at
MATCH (i:Item {unembedded: true}) WHERE NOT i.tenant IN $exclude_tenants
RETURN i.tenant AS tenant, i.id AS id, i.text AS text, i.updated_at AS updated_at
LIMIT $rows_max
