// A page of a tenant's items by id, with the properties that a consistency check compares. Index item_id.
// $tenant: str
// $after: str, the last id of the page before
// $rows_max: int
// -> id, has_text, vector_dim, unembedded
MATCH (i:Item {tenant: $tenant}) WHERE i.id > $after
WITH i ORDER BY i.tenant, i.id LIMIT $rows_max
RETURN i.id AS id, i.text IS NOT NULL AS has_text, size(i.embedding) AS vector_dim, coalesce(i.unembedded, false) AS unembedded
