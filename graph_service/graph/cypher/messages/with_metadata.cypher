// Messages of a user with some tokens of metadata, the latest first. Full-text index message_tags.
// $tenant: str
// $user_id: str
// $token_query: str, Lucene
// $rows_max: int
// -> id, metadata
CALL db.index.fulltext.queryNodes('message_tags', $token_query, {limit: $rows_max}) YIELD node AS m
WHERE m.tenant = $tenant AND m.user_id = $user_id
RETURN m.id AS id, m.metadata AS metadata
ORDER BY m.said_ms DESC, m.id
