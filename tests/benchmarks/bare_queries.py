"""Hand-written hybrid queries of vectors and words, as a baseline of `recall`.

One queries messages only, the other all kinds that a question without `kinds` asks for: messages, scenes and facts.
Neither has weights, neighbours of a hit, time ranges, names, supporting facts, or validity.
"""

from collections.abc import Sequence
from typing import Any, Final

from extraction.text.fulltext_words import words_in
from graph_service.graph.driver_values import vector_parameter
from graph_service.graph.lucene import scoped_query
from graph_service.graph.statements import Statement
from schema.ids import TenantId, scope_token

BARE_HYBRID: Final = Statement(
    name="bench/bare_hybrid",
    text="""CYPHER 25
CALL () {
  MATCH (m:Message) SEARCH m IN (VECTOR INDEX message_vector FOR $vector
    WHERE m.tenant = $tenant AND m.user_id = $user_id LIMIT 50) SCORE AS score RETURN m, score
 UNION ALL
  CALL db.index.fulltext.queryNodes('message_words', $words, {limit: 50}) YIELD node AS m, score
  RETURN m, score / 20 AS score
}
WITH m, sum(score) AS score ORDER BY score DESC LIMIT 10
RETURN m.id AS id, m.text AS text, score""",
    parameters=frozenset(),
    columns=("id", "text", "score"),
    hot=False,
)
BARE_OF_ALL_KINDS: Final = Statement(
    name="bench/bare_of_all_kinds",
    text="""CYPHER 25
CALL () {
  MATCH (m:Message) SEARCH m IN (VECTOR INDEX message_vector FOR $vector
    WHERE m.tenant = $tenant AND m.user_id = $user_id LIMIT 50) SCORE AS score RETURN m AS hit, score
 UNION ALL
  CALL db.index.fulltext.queryNodes('message_words', $words, {limit: 50}) YIELD node AS m, score
  RETURN m AS hit, score / 20 AS score
 UNION ALL
  MATCH (s:Scene) SEARCH s IN (VECTOR INDEX scene_abstract_vector FOR $vector
    WHERE s.tenant = $tenant AND s.user_id = $user_id LIMIT 50) SCORE AS score RETURN s AS hit, score
 UNION ALL
  CALL db.index.fulltext.queryNodes('scene_words', $scene_words, {limit: 50}) YIELD node AS s, score
  RETURN s AS hit, score / 20 AS score
 UNION ALL
  MATCH ()-[r:PREFERS|DISLIKES|CARES_ABOUT|RELATES_TO|CAUSED_BY]->() SEARCH r IN (VECTOR INDEX fact_vector FOR $vector
    WHERE r.tenant = $tenant AND r.user_id = $user_id LIMIT 50) SCORE AS score RETURN r AS hit, score
 UNION ALL
  CALL db.index.fulltext.queryRelationships('fact_words', $fact_words, {limit: 50}) YIELD relationship AS r, score
  RETURN r AS hit, score / 20 AS score
}
WITH hit, sum(score) AS score ORDER BY score DESC LIMIT 10
RETURN hit.id AS id, coalesce(hit.text, hit.abstract, hit.statement) AS text, score""",
    parameters=frozenset(),
    columns=("id", "text", "score"),
    hot=False,
)


def bare_parameters(tenant: TenantId, user: str, text: str, vector: Sequence[float]) -> dict[str, Any]:
    """Return the parameters of both queries; the first ignores the words of scenes and facts."""

    def words(*fields: str) -> str:
        return scoped_query(words_in(text), fields=list(fields), scope_user=scope_token(tenant, user), days=False)

    return {
        "tenant": tenant,
        "user_id": user,
        "vector": vector_parameter(vector),
        "words": words("text"),
        "scene_words": words("name", "abstract", "overview"),
        "fact_words": words("statement", "relation"),
    }
