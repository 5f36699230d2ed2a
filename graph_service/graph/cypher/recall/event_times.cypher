// Messages with the words of an event, best first, and the times that they are about. Full-text indexes message_words and message_stems.
// $tenant: str
// $user_id: str
// $words_query: str, Lucene query for words, scoped to tenant and user
// $stems_query: str, Lucene query for stems, scoped in the same way
// $known_at: datetime, only messages stored by then; null: all
// $limit: int, messages from each index
// -> text, said_at, mentioned_start, mentioned_end
CALL () {
  CALL db.index.fulltext.queryNodes('message_words', $words_query, {limit: $limit}) YIELD node AS m, score
  RETURN m, score
 UNION
  CALL db.index.fulltext.queryNodes('message_stems', $stems_query, {limit: $limit}) YIELD node AS m, score
  RETURN m, score
}
WITH m, max(score) AS score
WHERE m.tenant = $tenant AND m.user_id = $user_id AND ($known_at IS NULL OR m.received_at <= $known_at)
RETURN m.text AS text, m.said_at AS said_at, m.mentioned_start AS mentioned_start, m.mentioned_end AS mentioned_end
ORDER BY score DESC, m.said_ms DESC, m.id
