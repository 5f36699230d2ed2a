"""Test over GraphQL what the service reads from messages: scenes, lasting statements, thresholds and repetitions."""

from typing import Any

import pytest

from graph_service.graph.store import Graph
from tests.integration.api.test_graphql import Api, api
from tests.support.builders import a_worker

__all__ = ["api"]

REMEMBER = "mutation ($i: RememberInput!) { remember(input: $i) { stored dropped } }"
FACTS = """{ user(userId: "ana") { facts(includeClosed: true) { nodes {
  predicate object { name } statement confidence importance triggerEmotion evidence(first: 9) { text } } } } }"""
SCENES = '{ scenes(userId: "ana") { nodes { id name firstSeen lastSeen } } }'
MESSAGES = """query ($q: String!, $e: Int! = 20) { recall(userId: "ana", query: $q, kinds: [SCENE], evidence: $e) {
  hits { text evidence { text } } } }"""


async def tell(api: Api, graph: Graph, *texts: str, minute: int = 0, step: int = 1, **more: Any) -> None:
    """Store messages of one session, some minutes apart, and read them."""
    messages = [
        {"role": "USER", "text": text, "time": f"2026-03-01T{12 + at // 60}:{at % 60:02}:00Z"}
        for at, text in ((minute + step * number, text) for number, text in enumerate(texts))
    ]
    answer = await api.ask(REMEMBER, i={"userId": "ana", "sessionId": "s1", "messages": messages, **more})
    assert "errors" not in answer, answer
    await a_worker(graph).drain()


async def facts(api: Api) -> list[dict[str, Any]]:
    found = (await api.ask(FACTS))["data"]["user"]["facts"]["nodes"]
    return [fact for fact in found if fact["predicate"] != "MENTIONED"]


@pytest.mark.parametrize(
    ("moods", "trigger", "thing", "emotion"),
    [
        (("I am so tired today.", "I feel sad this morning."), "Thunder always scares me.", "thunder", "fear"),
    ],
    ids=["en"],
)
async def test_passing_moods_are_no_facts_and_a_lasting_trigger_keeps_its_emotion(
    api: Api, graph: Graph, moods: tuple[str, ...], trigger: str, thing: str, emotion: str
) -> None:
    """B4: the predicate is one of the whitelist, and the emotion stands beside it."""
    await tell(api, graph, *moods)
    assert await facts(api) == []
    await tell(api, graph, trigger, minute=30)
    (fact,) = await facts(api)
    assert (fact["predicate"], fact["object"]["name"].casefold()) == ("DISLIKES", thing)
    assert fact["triggerEmotion"] == emotion


async def scenes(api: Api) -> list[dict[str, Any]]:
    found = (await api.ask(SCENES))["data"]["scenes"]["nodes"]
    return sorted(found, key=lambda scene: str(scene["firstSeen"]))


TALK = (
    "The harbour café sells jasmine tea.",
    "Jasmine tea of the harbour café is hot.",
    "The tea of the café costs three euros.",
    "The café by the harbour closes at six.",
)


async def test_messages_of_one_situation_are_one_scene_and_a_pause_begins_another(api: Api, graph: Graph) -> None:
    """C4: however many calls they came in; the scene lasts from its first to its last message."""
    await tell(api, graph, *TALK[:2])
    await tell(api, graph, *TALK[2:], minute=2)
    (one,) = await scenes(api)
    assert (one["firstSeen"], one["lastSeen"]) == ("2026-03-01T12:00:00+00:00", "2026-03-01T12:03:00+00:00")
    await tell(api, graph, "The bicycle needs a new chain.", minute=180)
    first, second = await scenes(api)
    assert first["id"] == one["id"]
    assert second["firstSeen"] == "2026-03-01T15:00:00+00:00"
    hits = (await api.ask(MESSAGES, q="Which tea does the harbour café sell?"))["data"]["recall"]["hits"]
    assert {line["text"] for line in hits[0]["evidence"]} == set(TALK)


async def test_a_clear_change_of_topic_begins_a_scene_without_a_pause(api: Api, graph: Graph) -> None:
    """C4; messages about one topic stay in one scene."""
    tea = [f"The jasmine tea number {number} of the harbour café is hot and green." for number in range(12)]
    bicycle = [f"My old bicycle chain number {number} broke on the steep mountain road." for number in range(12)]
    await tell(api, graph, *tea)
    assert len(await scenes(api)) == 1
    await tell(api, graph, *bicycle, minute=12)
    starts = [str(scene["firstSeen"])[11:16] for scene in await scenes(api)]
    assert len(starts) == 2
    assert "12:10" <= starts[1] <= "12:14"


def provided(thing: str, **more: Any) -> dict[str, Any]:
    statement = f"Ana loves {thing}."
    return {"subject": "user", "predicate": "PREFERS", "object": thing, "statement": statement, **more}


async def test_unsure_facts_are_not_stored(api: Api, graph: Graph) -> None:
    """C7: the threshold of confidence is 0.5."""
    unsure = [provided("rain", confidence=0.49), provided("figs", confidence=0.5)]
    await tell(api, graph, "Well, rain and figs.", facts=unsure)
    assert [fact["object"]["name"] for fact in await facts(api)] == ["figs"]


@pytest.mark.parametrize(
    ("said", "again", "other"),
    [
        ("I love jasmine tea.", "I LOVE jasmine tea!!", "I love mint tea."),
        ("我喜欢茉莉花茶。", "我喜欢茉莉花茶！", "我喜欢薄荷茶。"),
    ],
    ids=["en", "zh"],
)
async def test_a_repeated_statement_is_one_fact_with_both_messages(
    api: Api, graph: Graph, said: str, again: str, other: str
) -> None:
    """C7: exact and near duplicates; a small change of meaning is another fact."""
    await tell(api, graph, said)
    await tell(api, graph, again, minute=200)
    (fact,) = await facts(api)
    assert {line["text"] for line in fact["evidence"]} == {said, again}
    await tell(api, graph, other, minute=400)
    assert len(await facts(api)) == 2


PROFILE = """query ($agent: String) { profile(userId: "ana", agentId: $agent) {
  category limit omitted items { statement object } } }"""


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            (
                "I live in Paris. I work at Acme.",
                "I love tea.",
                "My sister Anna works at Beta.",
                "I want to learn piano.",
            ),
            {"PERSONAL": "Paris", "WORK": "Acme", "PREFERENCES": "tea", "RELATIONSHIPS": "Anna", "GOALS": "piano"},
        ),
        (
            ("我住在巴黎。", "我在腾讯工作。", "我喜欢猫。", "我姐姐叫李娜。", "我打算学钢琴。"),
            {"PERSONAL": "巴黎", "WORK": "腾讯", "PREFERENCES": "猫", "RELATIONSHIPS": "李娜", "GOALS": "钢琴"},
        ),
    ],
    ids=["en", "zh"],
)
async def test_a_profile_has_five_bounded_categories(
    api: Api, graph: Graph, texts: tuple[str, ...], expected: dict[str, str]
) -> None:
    """B7: each fact in its own category."""
    await tell(api, graph, *texts)
    parts = (await api.ask(PROFILE))["data"]["profile"]
    assert [part["category"] for part in parts] == list(expected)
    assert all(0 < len(part["items"]) <= part["limit"] for part in parts)
    for part in parts:
        assert expected[part["category"]] in str(part["items"]), part


async def test_a_promise_of_the_assistant_is_a_fact_of_the_agent_and_small_talk_is_none(api: Api, graph: Graph) -> None:
    """C5: by rules; a user's own profile does not have it."""
    await tell(api, graph, "I have the dentist at nine.", agentId="nemo")
    said = {"role": "ASSISTANT", "text": "Sure, I'll remind you tomorrow about the dentist."}
    message = {**said, "time": "2026-03-01T12:10:00Z"}
    call = {"userId": "ana", "sessionId": "s1", "agentId": "nemo", "messages": [message]}
    assert "errors" not in await api.ask(REMEMBER, i=call)
    await tell(api, graph, "Thanks!", "Hello.", minute=20, agentId="nemo")
    assert "promised to remind" in str((await api.ask(PROFILE, agent="nemo"))["data"])
    assert "promised" not in str((await api.ask(PROFILE))["data"])
    assert "anks" not in str(await facts(api))


async def test_a_choice_from_a_list_is_a_decision_that_a_later_choice_ends(api: Api, graph: Graph) -> None:
    """B8: also if each message comes in a call of its own; its evidence is the request, the list and the reply."""
    await tell(api, graph, "Any name for the boat?")
    listed = {"role": "ASSISTANT", "text": "1. Otter\n2. Salt Wren\n3. Marguerite", "time": "2026-03-01T12:01:00Z"}
    assert "errors" not in await api.ask(REMEMBER, i={"userId": "ana", "sessionId": "s1", "messages": [listed]})
    await tell(api, graph, "number 2!", minute=2)
    (chosen,) = await facts(api)
    assert (chosen["object"]["name"], len(chosen["evidence"])) == ("Salt Wren", 3)
    await tell(api, graph, "hm no, I'm going with the third one", minute=4)
    query = '{ recall(userId: "ana", query: "What is the name of my boat?") { hits { kind text invalidAt } } }'
    hits = (await api.ask(query))["data"]["recall"]["hits"]
    (current,) = (hit for hit in hits if hit["kind"] == "FACT" and hit["invalidAt"] is None)
    assert "Marguerite" in current["text"]
    assert {fact["object"]["name"] for fact in await facts(api)} == {"Salt Wren", "Marguerite"}


async def test_a_choice_says_nothing_of_a_request_that_was_forgotten(api: Api, graph: Graph) -> None:
    said = [("USER", "I need a name for the Zeppelin"), ("ASSISTANT", "1. Otter\n2. Salt Wren"), ("USER", "number 2!")]
    messages = [
        {"role": role, "text": text, "time": f"2026-03-01T12:0{at}:00Z"} for at, (role, text) in enumerate(said)
    ]
    remember = "mutation ($i: RememberInput!) { remember(input: $i) { messageIds } }"
    stored = await api.ask(remember, i={"userId": "ana", "sessionId": "s1", "messages": messages})
    await a_worker(graph).drain()
    assert "Zeppelin" in str(await facts(api))
    first = stored["data"]["remember"]["messageIds"][0]
    await api.ask("mutation ($id: String!) { forgetMessage(id: $id) { messages } }", id=first)
    await a_worker(graph).drain()
    (chosen,) = await facts(api)
    assert (chosen["object"]["name"], len(chosen["evidence"])) == ("Salt Wren", 2)
    assert "Zeppelin" not in str(chosen)
