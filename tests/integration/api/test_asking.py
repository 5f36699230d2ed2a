"""Test over GraphQL how a question is understood, searched and ranked."""

from typing import Any

import pytest

from graph_service.graph.store import Graph
from tests.integration.api.test_graphql import Api, api
from tests.support.builders import a_worker

__all__ = ["api"]

REMEMBER = "mutation ($i: RememberInput!) { remember(input: $i) { stored } }"
RECALL = """query ($q: String!, $mode: RecallMode, $kinds: [HitKind!], $limit: Int! = 10, $session: String) {
  recall(userId: "ana", query: $q, mode: $mode, kinds: $kinds, limit: $limit, sessionId: $session) {
    intent answerType searchPath removed { reason count } hits { text score kind uri parts { name value } } } }"""
LAYER = "query ($uri: String!, $level: Level) { layer(uri: $uri, level: $level) { level text generatedBy } }"


async def tell(api: Api, graph: Graph, *texts: str, session: str = "s1", importance: int | None = None) -> None:
    messages = [
        {"role": "USER", "text": text, "time": f"2026-03-01T12:{at:02}:00Z", "importance": importance}
        for at, text in enumerate(texts)
    ]
    answer = await api.ask(REMEMBER, i={"userId": "ana", "sessionId": session, "messages": messages})
    assert "errors" not in answer, answer
    await a_worker(graph).drain()


async def ask(api: Api, question: str, **more: Any) -> dict[str, Any]:
    answer = await api.ask(RECALL, q=question, **more)
    assert "errors" not in answer, answer
    return dict(answer["data"]["recall"])


@pytest.mark.parametrize(
    ("question", "intent", "answer_type"),
    [
        ("Marta", "ENTITY", "OTHER"),
        ("王小明", "ENTITY", "OTHER"),
        ("When did Marta move to Lisbon?", "TEMPORAL", "WHEN"),
        ("玛尔塔什么时候搬到里斯本的？", "TEMPORAL", "WHEN"),
        ("How is Marta related to Ben?", "RELATIONAL", "OTHER"),
        ("玛尔塔和本是什么关系？", "RELATIONAL", "OTHER"),
        ("Where does Marta work?", "FACTUAL", "WHERE"),
        ("玛尔塔在哪里工作？", "FACTUAL", "WHERE"),
        ("Tell me something about gardens", "GENERAL", "OTHER"),
    ],
)
async def test_an_answer_says_how_its_question_was_understood(
    api: Api, question: str, intent: str, answer_type: str
) -> None:
    """D1: in both languages."""
    found = await ask(api, question)
    assert (found["intent"], found["answerType"]) == (intent, answer_type)


TEA = ("Jasmine tea is my favourite tea.", "The bicycle needs a new chain.", "I drink jasmine tea every morning.")


async def test_layers_are_searched_with_falling_thresholds_and_then_without_them(api: Api, graph: Graph) -> None:
    """D3 and A4: the answer says which path it took; scores are those of the three layers, weighted 0.2, 0.3, 0.5."""
    await tell(api, graph, *TEA)
    found = await ask(api, "jasmine tea", mode="LAYERED")
    steps = [step for step in found["searchPath"] if step.startswith("layers")]
    assert steps[0] == "layers ≥ 0.60"
    assert steps == [f"layers ≥ {at:.2f}" for at in (0.6, 0.5, 0.4)][: len(steps)]
    assert found["searchPath"][-1].startswith("layers")
    for hit in found["hits"]:
        parts = {part["name"]: part["value"] for part in hit["parts"]}
        assert set(parts) == {"abstract", "overview", "detail"}
        assert parts["abstract"] <= 0.2
        assert parts["overview"] <= 0.3
        assert parts["detail"] <= 0.5
        assert hit["score"] == pytest.approx(sum(parts.values()))
    relational = await ask(api, "How is the jasmine related to the tea?", mode="LAYERED")
    assert relational["searchPath"][0] == "layers ≥ 0.45"
    nothing = await ask(api, "Tell me something about xylophones", mode="LAYERED")
    assert nothing["searchPath"] == [
        "layers ≥ 0.60",
        "layers ≥ 0.50",
        "layers ≥ 0.40",
        "similarity ≥ 0.40",
        "metadata",
        "words",
    ]
    assert nothing["hits"] == []


async def test_each_layer_of_a_scene_has_its_text(api: Api, graph: Graph) -> None:
    """A4: abstract, overview and detail under one address."""
    await tell(api, graph, *TEA)
    (scene, *_) = (await ask(api, "jasmine tea", kinds=["SCENE"]))["hits"]
    texts = {}
    for level in ("L0", "L1", "L2"):
        layer = (await api.ask(LAYER, uri=scene["uri"], level=level))["data"]["layer"]
        assert layer["level"] == level
        texts[level] = layer["text"]
    assert len({*texts.values()}) == 3
    assert all(text in texts["L2"] for text in TEA)


async def test_similarity_and_importance_are_weighted_seven_to_three(api: Api, graph: Graph) -> None:
    """D4: an important message precedes an equally similar one."""
    await tell(api, graph, "The kettle of the kitchen is red.", importance=1, session="s1")
    await tell(api, graph, "The kettle of the kitchen is hot.", importance=10, session="s2")
    found = await ask(api, "kettle of the kitchen", mode="SIMILARITY_IMPORTANCE", kinds=["MESSAGE"])
    assert [hit["text"][-4:-1] for hit in found["hits"]] == ["hot", "red"]
    parts = [{part["name"]: part["value"] for part in hit["parts"]} for hit in found["hits"]]
    assert [part["importance"] for part in parts] == pytest.approx([0.3, 0.03])
    assert all(0 < part["similarity"] <= 0.7 for part in parts)


async def test_the_default_mode_combines_words_meaning_names_and_recency(api: Api, graph: Graph) -> None:
    """D4: each part of the score is shown, and their sum is the score."""
    await tell(api, graph, "My sister Marta lives in Lisbon.", *TEA)
    found = await ask(api, "Where does Marta live?")
    best = found["hits"][0]
    assert "Lisbon" in best["text"]
    names = {part["name"] for hit in found["hits"] for part in hit["parts"]}
    assert {"lexical", "token_similarity", "entity_match", "user_message"} <= names
    assert any(name.startswith("newer") for name in names)
    assert all(hit["score"] == pytest.approx(sum(p["value"] for p in hit["parts"])) for hit in found["hits"])


async def test_a_pronoun_means_who_was_named_last_in_the_session(api: Api, graph: Graph) -> None:
    """C14: the window of the last turns."""
    await tell(api, graph, "A sister of Anna works as a doctor in Oslo.", "A sister of Tom works as a pilot in Rome.")
    await tell(api, graph, "I met Anna at the market.", session="s2")
    await tell(api, graph, "I met Tom at the market.", session="s3")
    for session, pronoun, job in (("s2", "her", "doctor"), ("s3", "his", "pilot")):
        found = await ask(api, f"What does {pronoun} sister do?", session=session, kinds=["MESSAGE"])
        assert job in found["hits"][0]["text"]
