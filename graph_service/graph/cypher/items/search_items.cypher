// A page of the items that match a question by meaning or words, best first. Full-text index item_words.
// $tenant: str
// $user_id: str, empty for items of the tenant
// $query: str, a Lucene query that all items to search match, with a score for the words of the question
// $candidates_max: int, number of items to compare
// $vector: list of float, or null without an embedder
// $cross_language: list of float, for texts in the other language, or null
// $cross_language_scale: float, cosines between two languages are lower by this factor
// $unknown_similarity: float, of a text without a vector yet
// $words_weight: float, weight of the words beside the meaning
// $words_half: float, score of words that counts half
// $now_ms: int
// $skip: int
// $rows_max: int
// -> id, value_bytes, score
// The vectors of all items in the scope are compared: a vector index could not filter by prefixes of namespaces.
CALL db.index.fulltext.queryNodes('item_words', $query, {limit: $candidates_max}) YIELD node AS i, score AS words
WHERE i.tenant = $tenant AND i.user_id = $user_id AND i.text IS NOT NULL AND (i.expires_ms IS NULL OR i.expires_ms > $now_ms)
WITH i, words,
     CASE WHEN $vector IS NULL OR i.embedding IS NULL THEN null
          ELSE vector.similarity.cosine(i.embedding, $vector) END AS own,
     CASE WHEN $cross_language IS NULL OR i.embedding IS NULL THEN null
          ELSE 0.5 + $cross_language_scale * (vector.similarity.cosine(i.embedding, $cross_language) - 0.5) END AS across
// The vector of the other language is about orthogonal to a text, so the higher similarity is that of its language.
WITH i, words, CASE WHEN across > own THEN across ELSE own END AS similarity
// What was put a moment ago has no vector yet, and may well be what is looked for.
WITH i, words, similarity WHERE similarity IS NOT NULL OR words > 0 OR ($vector IS NOT NULL AND i.unembedded)
WITH i.id AS id, i.value_bytes AS value_bytes, i.updated_at AS updated_at,
     (coalesce(similarity, $unknown_similarity) + $words_weight * words / (words + $words_half)) / (1 + $words_weight) AS score
ORDER BY score DESC, updated_at DESC, id SKIP $skip LIMIT $rows_max
RETURN id, value_bytes, score
