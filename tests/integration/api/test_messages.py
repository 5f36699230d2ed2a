"""Test the log of messages over GraphQL: pages, verbatim payloads, long texts, and whether messages are read."""

from datetime import UTC, datetime
from typing import Any

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.ingest.episode_writer import store_episodes
from graph_service.memory.ingest.spool import EPISODE, without
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest, check_request
from graph_service.memory.messages import log
from schema.ids import TenantId
from tests.integration.api.test_graphql import Api, api
from tests.support.builders import a_memory, a_worker
from tests.support.graph_hash import graph_rows

__all__ = ["api"]

REMEMBER = "mutation($input: RememberInput!) { remember(input: $input) { stored repeated messageIds uris } }"
LIST = """query($session: String, $tags: [String!], $where: JSON, $first: Int! = 100, $after: String,
    $newest: Boolean! = false) {
  messages(userId: "ana", sessionId: $session, tags: $tags, where: $where, first: $first, after: $after,
    newestFirst: $newest) {
    nodes { id externalId text raw metadata tags time createdAt updatedAt version isRead chars }
    pageInfo { hasNextPage endCursor } } }"""
ONE = """query($session: String! = "s", $id: String!) { message(userId: "ana", sessionId: $session, id: $id) {
  id uri externalId sessionId userId text raw metadata version isRead facts { statement } } }"""
IS_READ = 'query($wait: Float! = 0) { isRead(userId: "ana", waitS: $wait) }'
RECALL = """query($q: String!) { recall(userId: "ana", query: $q, limit: 20) { hits { kind id text snippet } } }"""
CALL: dict[str, Any] = {
    "type": "function_call",
    "name": "weather",
    "arguments": '{"city":"Lisbon"}',
    "n": [1, 2.5, None, True, {}],
}
LONG = {
    "en": "It rains again, and it will rain. " * 3_000,
    "zh": "今天又下雨了，明天也会下雨。" * 7_200,
}


async def remember(api: Api, *messages: dict[str, Any], session: str = "s", **more: Any) -> dict[str, Any]:
    """Store messages of the user, and return the whole answer."""
    given = {
        "userId": "ana",
        "sessionId": session,
        "messages": [{"role": "USER", "text": "", **one} for one in messages],
    }
    return await api.ask(REMEMBER, input=given | more)


async def listed(api: Api, **variables: Any) -> list[dict[str, Any]]:
    """Return all messages, page by page."""
    found: list[dict[str, Any]] = []
    while True:
        page = (await api.ask(LIST, **variables))["data"]["messages"]
        found += page["nodes"]
        if not page["pageInfo"]["hasNextPage"]:
            return found
        variables["after"] = page["pageInfo"]["endCursor"]


async def message(api: Api, name: str, **variables: Any) -> Any:
    """Return a message by any of its ids."""
    return (await api.ask(ONE, id=name, **variables))["data"]["message"]


async def test_messages_are_listed_in_the_order_of_storing_in_pages_of_any_length(api: Api) -> None:
    noon = "2026-03-01T12:00:00Z"
    for start in (0, 30):
        texts = [{"text": f"number {number}", "time": noon, "id": f"m{number}"} for number in range(start, start + 30)]
        assert (await remember(api, *texts))["data"]["remember"]["stored"] == 30
    await remember(api, {"text": "without a time"})
    await remember(api, {"text": "elsewhere"}, session="other")
    expected = [*(f"number {number}" for number in range(60)), "without a time"]
    for first in (7, 1000):
        assert [said["text"] for said in await listed(api, session="s", first=first)] == expected
        newest = await listed(api, session="s", first=first, newest=True)
        assert [said["text"] for said in newest] == expected[::-1]
    assert [said["text"] for said in await listed(api, first=13)] == [*expected, "elsewhere"]
    assert (await listed(api, session="s"))[0]["externalId"] == "m0"
    latest = await api.ask('{ conversation(userId: "ana", limit: 2) { text } }')
    assert [said["text"] for said in latest["data"]["conversation"]] == ["without a time", "elsewhere"]


async def test_pages_are_refused_out_of_bounds_or_with_a_cursor_of_another_order(api: Api) -> None:
    await remember(api, {"text": "one"}, {"text": "two"})
    cursor = (await api.ask(LIST, session="s", first=1))["data"]["messages"]["pageInfo"]["endCursor"]
    for wrong in ({"first": 0}, {"first": 1001}, {"after": cursor, "newest": True}, {"tags": ["!"]}):
        answer = await api.ask(LIST, **wrong)
        assert answer["errors"][0]["extensions"]["code"] == "BAD_INPUT", wrong
    answer = await api.ask('{ messages(sessionId: "s") { nodes { id } } }')
    assert "userId" in answer["errors"][0]["message"]


async def test_messages_of_more_users_than_one_call_reads_are_refused(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Instead of leaving out those of some users."""
    for user in ("ana", "ben", "cleo"):
        await remember(api, {"text": f"I am {user}."}, userId=user)
    queries = ("{ messages { nodes { text } } }", "{ conversation { text } }")
    monkeypatch.setattr(log, "_USERS_MAX", 3)
    for query in queries:
        assert str(await api.ask(query)).count("I am ") == 3
    monkeypatch.setattr(log, "_USERS_MAX", 2)
    for query in queries:
        error = (await api.ask(query))["errors"][0]
        assert (error["extensions"]["code"], "name a userId" in error["message"]) == ("BAD_INPUT", True)


async def test_tags_filter_pages_before_their_length(api: Api) -> None:
    await remember(api, *({"text": f"t{number}", "tags": ["odd"] if number % 2 else []} for number in range(40)))
    assert [said["text"] for said in await listed(api, tags=["odd"], first=3)] == [f"t{n}" for n in range(1, 40, 2)]


async def test_a_message_is_read_by_the_callers_id_ours_or_its_uri(api: Api) -> None:
    stored = (await remember(api, {"text": "hello", "id": "my/id 王"}))["data"]["remember"]
    for name in ("my/id 王", stored["messageIds"][0], stored["uris"][0]):
        found = await message(api, name)
        assert (found["text"], found["externalId"], found["sessionId"]) == ("hello", "my/id 王", "s")
        assert await message(api, name, session="another") is None
    assert await message(api, "unknown") is None


async def test_payload_and_metadata_come_back_as_they_came(api: Api) -> None:
    metadata = {"project": "x", "n": 5, "share": 0.5, "done": False, "names": ["a", "b"], "empty": ""}
    await remember(api, {"text": "hi", "id": "1", "raw": CALL, "metadata": metadata}, {"raw": "just a text", "id": "2"})
    first, second = await listed(api)
    assert (first["raw"], first["metadata"], first["version"]) == (CALL, metadata, 1)
    assert list(first["raw"]) == list(CALL)
    assert (second["raw"], second["metadata"], second["text"]) == ("just a text", {}, "")
    assert first["createdAt"] == first["updatedAt"]
    assert (await remember(api, {"text": "hi", "id": "1", "raw": CALL}))["data"]["remember"]["repeated"] == 1
    refused = await remember(api, {"text": "hi", "id": "1", "raw": {"other": 1}})
    assert refused["errors"][0]["extensions"]["code"] == "CONFLICT"


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({}, "text is empty"),
        ({"text": "x", "metadata": {"a": {"b": 1}}}, "metadata.a must be"),
        ({"text": "x", "metadata": {"a": None}}, "leave out null"),
        ({"text": "x", "metadata": [1]}, "must be an object"),
        ({"text": "x", "metadata": {str(n): n for n in range(51)}}, "51 keys"),
        ({"text": "x", "metadata": {"a": "x" * 70_000}}, "65,536"),
        ({"text": "x", "raw": "x" * 1_000_001}, "1,000,000"),
        ({"text": "x" * 2_000_001}, "2,000,000"),
        ({"text": "x", "raw": "\ud83d"}, "surrogate"),
    ],
)
async def test_invalid_payloads_are_refused_and_nothing_is_stored(
    api: Api, wrong: dict[str, Any], problem: str
) -> None:
    error = (await remember(api, {"text": "fine"}, wrong))["errors"][0]
    assert error["extensions"]["code"] == "BAD_INPUT"
    assert problem in error["message"]
    assert await listed(api) == []


async def test_a_message_without_text_is_never_read_nor_a_hit(api: Api, graph: Graph) -> None:
    await remember(
        api, {"text": "I live in Lisbon."}, {"raw": CALL, "speaker": "weather tool"}, {"text": "I like figs."}
    )
    await a_worker(graph).drain()
    assert [said["isRead"] for said in await listed(api)] == [True, True, True]
    for question in ("weather tool", "Where does she live?"):
        hits = (await api.ask(RECALL, q=question))["data"]["recall"]["hits"]
        assert all(hit["text"] for hit in hits)
        assert "I live in Lisbon." in [hit["text"] for hit in hits]


async def test_messages_without_extraction_are_found_but_never_read(api: Api, graph: Graph, tenant: str) -> None:
    await remember(api, {"text": "I am allergic to walnuts.", "id": "1"}, extract=False)
    memory = a_memory(graph)
    await a_worker(graph).drain()
    await memory.sync(TenantId(tenant))
    await memory.sessions.close(TenantId(tenant), "ana", "s")
    await a_worker(graph).drain()
    hits = (await api.ask(RECALL, q="walnuts"))["data"]["recall"]["hits"]
    assert [(hit["kind"], hit["text"]) for hit in hits] == [("MESSAGE", "I am allergic to walnuts.")]
    assert (await message(api, "1"))["isRead"]
    refused = await remember(api, {"text": "x"}, extract=False, summary="A summary.")
    assert refused["errors"][0]["extensions"]["code"] == "BAD_INPUT"


async def test_is_read_becomes_true_when_everything_is_read(api: Api, graph: Graph) -> None:
    assert (await api.ask(IS_READ))["data"]["isRead"]
    await remember(api, {"text": "I live in Lisbon.", "id": "1"})
    assert not (await api.ask(IS_READ))["data"]["isRead"]
    assert not (await message(api, "1"))["isRead"]
    await a_worker(graph).drain()
    assert (await api.ask(IS_READ, wait=5))["data"]["isRead"]
    assert [fact["statement"] for fact in (await message(api, "1"))["facts"]]
    for wrong in (-1, 61):
        assert (await api.ask(IS_READ, wait=wrong))["errors"][0]["extensions"]["code"] == "BAD_INPUT"


@pytest.mark.parametrize("language", LONG)
async def test_a_long_text_is_one_message_everywhere(api: Api, graph: Graph, language: str) -> None:
    text = LONG[language]
    home, city = ("I live in Lisbon.", "Lisbon") if language == "en" else ("我住在里斯本。", "里斯本")
    said = {"text": f"{text} {home}", "id": "long", "time": "2026-03-01T12:00:00Z", "tags": ["book"]}
    after = {"text": "And after it.", "id": "after", "time": "2026-03-01T12:00:00Z"}
    stored = (await remember(api, said, after))["data"]["remember"]
    assert (stored["stored"], len(stored["messageIds"])) == (2, 2)
    assert (await remember(api, said, after))["data"]["remember"]["repeated"] == 2
    shorter = await remember(api, said | {"text": said["text"][:100_000]})
    assert shorter["errors"][0]["extensions"]["code"] == "CONFLICT"
    first, second = await listed(api)
    assert (first["text"], first["chars"], second["text"]) == (said["text"], len(said["text"]), "And after it.")
    hits = (await api.ask(RECALL, q=city))["data"]["recall"]["hits"]
    (part,) = [hit for hit in hits if hit["kind"] == "MESSAGE" and city in hit["snippet"]]
    assert (await message(api, part["id"]))["id"] == first["id"]
    await a_worker(graph).drain()
    whole = await message(api, "long")
    assert (whole["text"], whole["isRead"]) == (said["text"], True)
    assert [city in fact["statement"] for fact in whole["facts"]] == [True]
    forgotten = await api.ask("mutation($id: String!) { forgetMessage(id: $id) { messages } }", id=part["id"])
    assert forgotten["data"]["forgetMessage"]["messages"] == 1
    assert [said["text"] for said in await listed(api)] == ["And after it."]
    hits = (await api.ask(RECALL, q=city))["data"]["recall"]["hits"]
    assert not any(city in hit["snippet"] for hit in hits)


async def test_an_export_keeps_messages_whole(api: Api, graph: Graph, tenant: str) -> None:
    metadata = {"n": 1, "names": ["a"]}
    await remember(api, {"text": LONG["en"], "id": "1", "metadata": metadata}, {"raw": CALL, "id": "2"})
    await remember(api, {"text": "Never read.", "id": "3"}, extract=False)
    await a_worker(graph).drain()
    stored = [{**said, "id": ""} for said in await listed(api)]
    exported = (await api.ask("mutation { exportGraph { text } }"))["data"]["exportGraph"]["text"]
    other = f"{tenant}-copy"
    answer = await api.send(
        tenant=other, query="mutation($t: String!) { importGraph(text: $t) { nodes } }", variables={"t": exported}
    )
    assert "errors" not in answer
    copied = await api.send(tenant=other, query=LIST, variables={})
    assert [{**said, "id": ""} for said in copied["data"]["messages"]["nodes"]] == stored


async def test_payloads_survive_the_spool_and_are_gone_after_forgetting(api: Api, graph: Graph, tenant: str) -> None:
    messages = (
        IncomingMessage(role="user", text=LONG["zh"], id="1"),
        IncomingMessage(role="user", text="", raw=CALL, id="2", metadata={"n": 1}),
    )
    request = RememberRequest(user_id="ana", session_id="s", messages=messages)
    episode = check_request(TenantId(tenant), request, now=datetime.now(UTC)).episode
    read = EPISODE.validate_json(EPISODE.dump_json(episode))
    assert read == episode
    left = without(read, {read.messages[1].id})
    assert left is not None
    assert [message.external_id for message in left.messages] == ["2"]
    await store_episodes(graph, [read], epoch="e")
    assert [said["text"] for said in await listed(api)] == [LONG["zh"], ""]
    assert (await listed(api))[1]["raw"] == CALL
    forgotten = await api.ask('mutation { forgetSession(userId: "ana", sessionId: "s") { messages } }')
    assert forgotten["data"]["forgetSession"]["messages"] == 2
    assert await listed(api) == []
    assert "function_call" not in str(await graph_rows(graph, tenant))


SET = """mutation($id: String!, $text: String, $metadata: JSON, $raw: JSON, $tags: [String!], $version: Int) {
  setMessage(userId: "ana", sessionId: "s", id: $id, text: $text, metadata: $metadata, raw: $raw, tags: $tags,
    ifVersion: $version) { id externalId text raw metadata tags time createdAt updatedAt version isRead } }"""
HOMES = {
    "en": ("I live in Lisbon.", "I live in Porto.", "Lisbon", "Porto"),
    "zh": ("我住在上海。", "我住在北京。", "上海", "北京"),
}


@pytest.mark.parametrize("language", HOMES)
async def test_a_replaced_text_takes_its_facts_along_and_keeps_its_place(
    api: Api, graph: Graph, tenant: str, language: str
) -> None:
    old, new, gone, kept = HOMES[language]
    noon = "2026-03-01T12:00:00Z"
    texts = ["I like figs.", old, "I have a dog called Rex."]
    details = {"raw": {"n": 1}, "metadata": {"n": 1}, "tags": ["home"], "time": noon}
    stored = (await remember(api, *({"text": text, "id": f"m{n}", **details} for n, text in enumerate(texts))))["data"][
        "remember"
    ]
    await a_worker(graph).drain()
    before = await listed(api)
    replaced = (await api.ask(SET, id="m1", text=new))["data"]["setMessage"]
    assert (replaced["id"], replaced["text"], replaced["version"], replaced["isRead"]) == (
        stored["messageIds"][1],
        new,
        2,
        False,
    )
    same = ("id", "externalId", "raw", "metadata", "tags", "time", "createdAt")
    assert [replaced[name] for name in same] == [before[1][name] for name in same]
    assert replaced["updatedAt"] > replaced["createdAt"]
    assert [said["text"] for said in await listed(api)] == [texts[0], new, texts[2]]
    await a_worker(graph).drain()
    statements = [fact["statement"] for n in range(3) for fact in (await message(api, f"m{n}"))["facts"]]
    assert any(kept in statement for statement in statements)
    assert gone not in str(await graph_rows(graph, tenant))
    assert not (await a_memory(graph).sync(TenantId(tenant), dry_run=True)).found


async def test_details_are_replaced_without_reading_the_message_again(api: Api, graph: Graph) -> None:
    await remember(api, {"text": "I live in Lisbon.", "id": "1", "raw": [1], "tags": ["a"], "metadata": {"n": 1}})
    await a_worker(graph).drain()
    changed = (await api.ask(SET, id="1", metadata={}, raw={"x": 2}, tags=["b"], version=1))["data"]["setMessage"]
    assert (changed["metadata"], changed["raw"], changed["tags"], changed["version"]) == ({}, {"x": 2}, ["b"], 2)
    assert (changed["text"], changed["isRead"]) == ("I live in Lisbon.", True)
    assert [said["text"] for said in await listed(api, tags=["b"])] == ["I live in Lisbon."]
    for answer, code in (
        (await api.ask(SET, id="1", text="I live in Porto.", version=1), "CONFLICT"),
        (await api.ask(SET, id="2", text="I live in Porto."), "NOT_FOUND"),
        (await api.ask(SET, id="1", metadata={"n": None}), "BAD_INPUT"),
    ):
        assert answer["errors"][0]["extensions"]["code"] == code
    assert (await message(api, "1"))["version"] == 2


async def test_a_long_text_replaces_a_short_one_and_back(api: Api, graph: Graph) -> None:
    await remember(api, {"text": "Short.", "id": "1"}, {"text": "After.", "id": "2"}, extract=False)
    for text in (LONG["zh"], "Short again.", LONG["en"]):
        assert (await api.ask(SET, id="1", text=text))["data"]["setMessage"]["isRead"]
        assert [said["text"] for said in await listed(api)] == [text, "After."]
    stats = await api.ask('{ stats(userId: "ana") { messages } }')
    assert stats["data"]["stats"]["messages"] == 2


WHERE = """query($q: String!, $where: JSON, $kinds: [HitKind!], $limit: Int! = 5) {
  recall(userId: "ana", query: $q, where: $where, kinds: $kinds, limit: $limit) { hits { kind text metadata } } }"""


async def test_metadata_filter_hits_before_the_limit_and_facts_inherit_them(api: Api, graph: Graph) -> None:
    tea = [{"text": f"I like tea of kind {n}.", "metadata": {"n": n, "project": "tea"}} for n in range(40)]
    cat = {"text": "I have a cat called Mia.", "metadata": {"n": 99, "project": "pets", "rooms": ["Attic", "hall"]}}
    await remember(api, *tea, cat, {"text": "I like tea without anything."})
    await a_worker(graph).drain()

    async def found(where: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
        return list(
            (await api.ask(WHERE, q="Which tea and which cat do I like?", where=where, **more))["data"]["recall"][
                "hits"
            ]
        )

    for where in (
        {"project": "pets"},
        {"n": {"gt": 40}},
        {"n": 99.0},
        {"rooms": {"contains": "hall"}},
        {"AND": [{"project": {"in": ["pets", "none"]}}, {"NOT": {"n": {"lt": 50}}}]},
    ):
        for kind in ("MESSAGE", "FACT"):
            hits = await found(where, kinds=[kind])
            assert hits, (where, kind)
            assert all(hit["metadata"] == cat["metadata"] and "Mia" in hit["text"] for hit in hits), (where, kind)
        assert [said["text"] for said in await listed(api, where=where)] == [cat["text"]]
    assert [hit["text"] for hit in await found({"n": 7}, kinds=["MESSAGE"])] == [tea[7]["text"]]
    assert await found({"project": "none"}) == []
    without = await found({"project": {"ne": "tea"}}, kinds=["MESSAGE"], limit=20)
    assert {hit["text"] for hit in without} == {cat["text"], "I like tea without anything."}
    assert len(await listed(api, where={"OR": [{"n": {"lte": 2}}, {"project": "pets"}]}, first=2)) == 4
    refused = await api.ask(WHERE, q="tea", where={"n": {"near": 5}})
    assert (refused["errors"][0]["extensions"]["code"], "near" in refused["errors"][0]["message"]) == (
        "BAD_INPUT",
        True,
    )
    await api.ask(SET, id=(await listed(api, where={"n": 7}))[0]["id"], metadata={"n": 700})
    assert len(await listed(api, where={"n": 700})) == 1
    assert [hit["text"] for hit in await found({"n": 700}, kinds=["MESSAGE"])] == [tea[7]["text"]]


CONTEXT = """query($where: JSON) {
  context(userId: "ana", query: "Which kettle broke?", where: $where) { recalled { text } } }"""


async def test_context_recalls_only_what_passes_the_filter(api: Api) -> None:
    colours = ("red", "blue")
    await remember(api, *({"text": f"The {name} kettle broke.", "metadata": {"colour": name}} for name in colours))
    for where, expected in (({"colour": "red"}, {"red"}), ({"colour": "no"}, set()), (None, {"red", "blue"})):
        text = str((await api.ask(CONTEXT, where=where))["data"]["context"]["recalled"])
        assert {name for name in colours if name in text} == expected
    refused = await api.ask(CONTEXT, where={"n": {"near": 5}})
    assert refused["errors"][0]["extensions"]["code"] == "BAD_INPUT"


FORGET = """mutation($user: String! = "ana", $where: JSON, $before: DateTime, $session: String, $tags: [String!],
    $dry: Boolean! = false) {
  forget(userId: $user, where: $where, before: $before, sessionId: $session, tags: $tags, dryRun: $dry) {
    messages } }"""


async def test_messages_are_forgotten_by_conditions(api: Api, graph: Graph, tenant: str) -> None:
    days = [
        {"text": f"I like {fruit}.", "time": f"2026-03-0{day}T12:00:00Z", "metadata": {"day": day}, "tags": [f"d{day}"]}
        for day, fruit in enumerate(("figs", "plums", "pears", "kiwis", "dates"), 1)
    ]
    await remember(api, *days)
    await remember(api, {"text": "I like tea.", "time": "2026-03-01T12:00:00Z"}, session="other")
    await a_worker(graph).drain()

    async def forgotten(**conditions: Any) -> int:
        return int((await api.ask(FORGET, **conditions))["data"]["forget"]["messages"])

    assert await forgotten(where={"day": {"gte": 2}}, dry=True) == 4
    assert len(await listed(api)) == 6
    assert await forgotten(where={"day": {"gt": 3}}, tags=["d4", "d1"]) == 1
    assert await forgotten(before="2026-03-02T00:00:00Z", session="s") == 1
    assert await forgotten(where={"day": 9}) == 0
    assert [said["text"] for said in await listed(api)] == [
        "I like tea.",
        "I like plums.",
        "I like pears.",
        "I like dates.",
    ]
    rows = str(await graph_rows(graph, tenant))
    assert "kiwis" not in rows
    assert "figs" not in rows
    for wrong in ({}, {"where": {}}, {"where": {"a": {"no": 1}}}):
        assert (await api.ask(FORGET, **wrong))["errors"][0]["extensions"]["code"] == "BAD_INPUT"
