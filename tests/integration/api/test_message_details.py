"""Test what a message may carry (importance in words, emotion, an event), and the addresses of what summaries quote."""

from typing import Any

import pytest

from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker

REMEMBER = "mutation ($i: RememberInput!) { remember(input: $i) { stored uris messageIds sessionUri } }"
RECALL = """query ($q: String!, $f: RecallFilter, $k: [HitKind!]) {
  recall(userId: "ana", query: $q, filter: $f, kinds: $k, limit: 5) { hits { text role speaker emotion uri } } }"""
LAYER = """query ($u: String!, $l: Level) { layer(uri: $u, level: $l) {
  uri text emotion participants anchors { text uri } } }"""
FACTS = """{ user(userId: "ana") { facts { nodes { statement triggerEmotion evidence { text emotion anchor } } } } }"""
SCENES = '{ scenes(userId: "ana") { nodes { id importance participants summary } } }'


async def execute(graph: Graph, tenant: str, query: str, **variables: Any) -> Any:
    context = {"memory": a_memory(graph), "tenant": TenantId(tenant)}
    return await graphql_schema.execute(query, variable_values=variables, context_value=context)


async def ask(graph: Graph, tenant: str, query: str, **variables: Any) -> Any:
    answer = await execute(graph, tenant, query, **variables)
    assert answer.errors is None, answer.errors
    return answer.data


async def tell(graph: Graph, tenant: str, *messages: dict[str, Any], session: str = "s") -> Any:
    said = [{"role": "USER", "time": f"2026-03-01T12:0{minute}:00Z"} | one for minute, one in enumerate(messages)]
    stored = await ask(graph, tenant, REMEMBER, i={"userId": "ana", "sessionId": session, "messages": said})
    await a_worker(graph).drain()
    return stored["remember"]


@pytest.mark.parametrize(("given", "stored"), [("low", 3), ("Critical", 10), ("高", 8), (4, 4)])
async def test_message_has_the_importance_of_a_word(graph: Graph, tenant: str, given: Any, stored: int) -> None:
    await tell(graph, tenant, {"text": "The cellar key is under the blue pot.", "importance": given})
    assert [scene["importance"] for scene in (await ask(graph, tenant, SCENES))["scenes"]["nodes"]] == [stored]


@pytest.mark.parametrize("given", ["enormous", 0.5, True])
async def test_message_with_an_unknown_importance_is_refused(graph: Graph, tenant: str, given: Any) -> None:
    message = {"role": "USER", "text": "x", "importance": given}
    answer = await execute(graph, tenant, REMEMBER, i={"userId": "ana", "sessionId": "s", "messages": [message]})
    assert answer.errors is not None
    assert "low, medium, high" in answer.errors[0].message


async def test_emotion_of_a_message_is_the_given_one_or_that_of_its_facts(graph: Graph, tenant: str) -> None:
    told = await tell(
        graph,
        tenant,
        {"text": "The landlord called again.", "emotion": "annoyed"},
        {"text": "Well. Thunderstorms always make me feel anxious."},
        {"text": "I bought two lamps."},
    )
    layers = [await ask(graph, tenant, LAYER, u=uri) for uri in told["uris"]]
    assert [one["layer"]["emotion"] for one in layers] == ["annoyed", "anxiety", None]
    hits = (await ask(graph, tenant, RECALL, q="landlord", k=["MESSAGE"]))["recall"]["hits"]
    assert [hit["emotion"] for hit in hits if "landlord" in hit["text"]] == ["annoyed"]


async def test_fact_names_the_characters_that_state_it(graph: Graph, tenant: str) -> None:
    text = "Well. The bus was late. Thunderstorms always make me feel anxious."
    await tell(graph, tenant, {"text": text})
    facts = (await ask(graph, tenant, FACTS))["user"]["facts"]["nodes"]
    [proof] = next(fact["evidence"] for fact in facts if fact["triggerEmotion"])
    part = (await ask(graph, tenant, LAYER, u=proof["anchor"]))["layer"]
    assert "Thunderstorms" in part["text"]
    assert part["text"] in text
    assert len(part["text"]) < len(text)
    assert part["uri"] == proof["anchor"]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("Hello!\nWe repaired the old  boat. It took two days.", "We repaired the old  boat."),
        ("你好。\n我们修好了旧船，小船现在停在码头。", "我们修好了旧船，小船现在停在码头。"),
    ],
)
async def test_sentences_of_a_summary_name_the_part_of_a_message(
    graph: Graph, tenant: str, text: str, part: str
) -> None:
    told = await tell(graph, tenant, {"role": "ASSISTANT", "text": "Hm."}, {"text": text})
    scene = (await ask(graph, tenant, SCENES))["scenes"]["nodes"][0]["id"]
    for uri, level in ((told["sessionUri"], "L0"), (scene, "L1")):
        layer = (await ask(graph, tenant, LAYER, u=uri, l=level))["layer"]
        found = [(await ask(graph, tenant, LAYER, u=one["uri"]))["layer"] for one in layer["anchors"]]
        assert [one["text"] for one in found] == [part], layer
        start = text.index(part)
        assert found[0]["uri"] == f"{told['uris'][1]}#char={start},{start + len(part)}"


async def test_event_is_found_by_words_people_and_time(graph: Graph, tenant: str) -> None:
    await tell(
        graph,
        tenant,
        {"role": "EVENT", "text": "Signed the lease for the studio", "speaker": "Mia, Tom", "tags": ["contract"]},
        {"text": "I like the courtyard there."},
        {"role": "ASSISTANT", "text": "Congratulations!"},
    )
    for question in ("What was signed for the studio?", "What did Tom do?", "What happened on March 1, 2026?"):
        hits = (await ask(graph, tenant, RECALL, q=question, k=["MESSAGE"]))["recall"]["hits"]
        assert ("event", "Mia, Tom") in [(hit["role"], hit["speaker"]) for hit in hits], question
    only = {"roles": ["EVENT"], "tags": ["contract"]}
    hits = (await ask(graph, tenant, RECALL, q="studio", f=only, k=["MESSAGE"]))["recall"]["hits"]
    assert [hit["text"] for hit in hits] == ["Signed the lease for the studio"]
    [scene] = (await ask(graph, tenant, SCENES))["scenes"]["nodes"]
    assert scene["participants"] == ["Mia", "Tom", "user", "assistant"]
    assert (await ask(graph, tenant, LAYER, u=scene["id"]))["layer"]["participants"] == scene["participants"]


async def test_event_is_read_for_facts_like_words_of_the_user(graph: Graph, tenant: str) -> None:
    await tell(graph, tenant, {"role": "EVENT", "text": "I moved to Porto."})
    facts = (await ask(graph, tenant, FACTS))["user"]["facts"]["nodes"]
    assert any("Porto" in fact["statement"] for fact in facts)


@pytest.mark.parametrize(
    "query",
    [
        "($u: String!) { layer(uri: $u) { text } }",
        "($u: String!) { fact(id: $u) { id } }",
        "($u: String!) { factHistory(id: $u) { id } }",
        "($u: ID!) { node(id: $u) { id } }",
        "($u: String!) { scene(id: $u) { id } }",
        "($u: String!) { entity(id: $u) { id } }",
    ],
)
@pytest.mark.parametrize("uri", ["memory://t/usr/ana", "memory://t/user/ana#L7", "http://t/user/ana"])
async def test_field_with_a_malformed_uri_names_the_forms(graph: Graph, tenant: str, query: str, uri: str) -> None:
    answer = await execute(graph, tenant, f"query {query}", u=uri)
    assert answer.errors is not None
    assert (answer.errors[0].extensions or {})["code"] == "INVALID_URI", answer.errors
    assert "memory://TENANT/user/ID" in answer.errors[0].message


async def test_ids_are_resolved_to_uris(graph: Graph, tenant: str) -> None:
    told = await tell(graph, tenant, {"text": "I love jasmine tea."})
    assert (await ask(graph, tenant, LAYER, u=f"{told['messageIds'][0]}#L2"))["layer"]["uri"] == f"{told['uris'][0]}#L2"
    user = (await ask(graph, tenant, '{ user(userId: "ana") { id uri facts { nodes { id uri } } } }'))["user"]
    for one in (user, *user["facts"]["nodes"]):
        assert (await ask(graph, tenant, LAYER, u=one["id"], l="L0"))["layer"]["uri"] == f"{one['uri']}#L0"
    answer = await execute(graph, f"{tenant}-2", LAYER, u=user["id"])
    assert answer.errors is not None
    assert (answer.errors[0].extensions or {})["code"] == "NOT_FOUND"
