// A page of the items that match a question by meaning or words, best first. Full-text index item_words.
// $tenant: str
// $user_id: str, empty for items of the tenant
// $query: str, a Lucene query that all items to search match, with a score for the words of the question
// $candidates_max: int, number of items to compare
// $vector: list of float, or null without an embedder
// $cross_language: list of float, for texts in the other language, or null
// $chinese: bool, the question is Chinese
// $cross_language_scale: float, cosines between two languages are lower by this factor
// $words_weight: float, weight of the words beside the meaning
// $now_ms: int
// $skip: int
// $rows_max: int
// -> id, value_bytes, score
// The vectors of all items in the scope are compared: a vector index could not filter by prefixes of namespaces. A text without a vector yet
// counts as one of average similarity if it has a word of the question.
CALL db.index.fulltext.queryNodes('item_words', $query, {limit: $candidates_max}) YIELD node AS i, score AS words
WHERE i.tenant = $tenant AND i.user_id = $user_id AND i.text IS NOT NULL AND (i.expires_ms IS NULL OR i.expires_ms > $now_ms)
WITH i, words,
     CASE WHEN $vector IS NULL OR i.embedding IS NULL THEN null
          WHEN $cross_language IS NOT NULL AND coalesce(i.chinese, false) <> $chinese
          THEN 0.5 + $cross_language_scale * (vector.similarity.cosine(i.embedding, $cross_language) - 0.5)
          ELSE vector.similarity.cosine(i.embedding, $vector) END AS similarity
WITH collect({id: i.id, value_bytes: i.value_bytes, at: i.updated_at, words: words, similarity: similarity}) AS compared,
     max(words) AS most, coalesce(avg(similarity), 0.5) AS typical
UNWIND compared AS item
WITH item, most, typical WHERE item.similarity IS NOT NULL OR item.words > 0
WITH item, (coalesce(item.similarity, typical) + CASE WHEN most > 0 THEN $words_weight * item.words / most ELSE 0.0 END) / (1 + $words_weight) AS score
ORDER BY score DESC, item.at DESC, item.id SKIP $skip LIMIT $rows_max
RETURN item.id AS id, item.value_bytes AS value_bytes, score
