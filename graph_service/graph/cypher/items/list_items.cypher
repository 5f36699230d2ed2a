// A page of the items that have all tokens of a query, the last updated first. Full-text index item_words.
// $tenant: str
// $user_id: str, empty for items of the tenant
// $query: str, a Lucene query
// $now_ms: int
// $skip: int
// $rows_max: int
// -> id, value_bytes, score
CALL db.index.fulltext.queryNodes('item_words', $query) YIELD node AS i
WHERE i.tenant = $tenant AND i.user_id = $user_id AND (i.expires_ms IS NULL OR i.expires_ms > $now_ms)
WITH i.id AS id, i.value_bytes AS value_bytes, i.updated_at AS updated_at ORDER BY updated_at DESC, id SKIP $skip LIMIT $rows_max
RETURN id, value_bytes, null AS score
