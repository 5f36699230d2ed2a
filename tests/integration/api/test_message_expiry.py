"""Test messages that expire: gone from reads of messages at once, and with everything they prove after the sweep."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graph_service.graph.store import Graph
from graph_service.memory.ingest.episode_writer import store_episodes
from graph_service.memory.ingest.spool import EPISODE, Spool
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest, check_request
from graph_service.memory.recall.query import Question
from graph_service.memory.worker.message_expiry import MessageExpiry
from schema.ids import TenantId
from tests.integration.api.test_graphql import Api, api
from tests.integration.api.test_messages import LONG, message, remember
from tests.support.builders import a_dead_graph, a_memory, a_worker
from tests.support.graph_hash import graph_rows
from tests.support.polling import eventually

__all__ = ["api"]

LIST = '{ messages(userId: "ana") { nodes { externalId text expiresAt version isRead } } }'
SET = """mutation($id: String!, $text: String, $tags: [String!], $at: DateTime, $ttl: Float,
                 $never: Boolean! = false) {
  setMessage(userId: "ana", sessionId: "s", id: $id, text: $text, tags: $tags, expiresAt: $at, ttlS: $ttl,
             neverExpires: $never) { expiresAt version } }"""
EVERYWHERE = """query($q: String!) {
  recall(userId: "ana", query: $q, limit: 50, evidence: 5) { hits { text evidence { text } } }
  context(userId: "ana", query: $q) { text }
  messages(userId: "ana") { nodes { text } }
  shortTerm(userId: "ana", sessionId: "s") { turns { text } }
  facts(userId: "ana", includeClosed: true) { nodes { statement } }
  profile(userId: "ana") { items { statement } }
  entities(userId: "ana") { nodes { name } }
  scenes: recall(userId: "ana", query: $q, kinds: [SCENE], evidence: 5) { hits { text evidence { text } } } }"""
HOMES = {
    "en": ("I live in Lisbon.", "I have a dog called Rex.", "Lisbon", "Rex", "Where do I live, and who is Rex?"),
    "zh": ("我住在上海。", "我养了一只狗叫旺财。", "上海", "旺财", "我住在哪里？旺财是谁？"),
}
# Expired when the next call comes.
AT_ONCE_S = 0.000_1


async def listed(api: Api) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = (await api.ask(LIST))["data"]["messages"]["nodes"]
    return nodes


def expiry(graph: Graph, *, late: timedelta = timedelta()) -> MessageExpiry:
    """Return the sweep as of `late` after now."""
    return MessageExpiry(graph, a_memory(graph).forgetting, clock=lambda: datetime.now(UTC) + late)


@pytest.mark.parametrize("language", HOMES)
async def test_expired_messages_are_left_out_before_the_sweep(api: Api, language: str) -> None:
    gone, kept, gone_word, kept_word, asked = HOMES[language]
    await remember(api, {"text": gone, "id": "1", "ttlS": AT_ONCE_S, "tags": ["t"]}, {"text": kept, "id": "2"})
    found = (await api.ask(EVERYWHERE, q=asked))["data"]
    assert kept_word in str(found["recall"])
    for name in ("recall", "context", "messages", "scenes"):
        assert gone_word not in str(found[name]), name
    assert await message(api, "1") is None
    assert (await api.ask(SET, id="1", text="x"))["errors"][0]["extensions"]["code"] == "NOT_FOUND"
    tagged = await api.ask('{ recall(userId: "ana", query: "t", filter: {tags: ["t"]}) { hits { text } } }')
    assert tagged["data"]["recall"]["hits"] == []


@pytest.mark.parametrize("language", HOMES)
async def test_the_sweep_forgets_what_only_expired_messages_prove(
    api: Api, graph: Graph, tenant: str, language: str
) -> None:
    gone, kept, gone_word, kept_word, asked = HOMES[language]
    other = f"{tenant}-other"
    said = ({"text": gone, "id": "1", "ttlS": 3600}, {"text": kept, "id": "2"}, {"text": gone, "ttlS": 90_000})
    await remember(api, *said[:2])
    for whose, user in ((other, "ana"), (tenant, "bob")):
        given = {"userId": user, "sessionId": "s", "messages": [{"role": "USER", **said[2]}]}
        query = "mutation($input: RememberInput!) { remember(input: $input) { stored } }"
        assert (await api.send(tenant=whose, query=query, variables={"input": given}))["data"]["remember"]["stored"]
    await a_worker(graph).drain()
    before = (await api.ask(EVERYWHERE, q=asked))["data"]
    for name, answer in before.items():
        assert gone_word in str(answer), name
    assert await expiry(graph).sweep() == 1.0
    assert (await api.ask(EVERYWHERE, q=asked))["data"] == before
    await expiry(graph, late=timedelta(hours=2)).sweep()
    await a_worker(graph).drain()
    after = (await api.ask(EVERYWHERE, q=asked))["data"]
    for name, answer in after.items():
        # The window of the API's process is emptied by the feed of forgettings.
        if name != "shortTerm":
            assert gone_word not in str(answer), name
        assert kept_word in str(answer), name
    assert not (await a_memory(graph).sync(TenantId(tenant), dry_run=True)).found
    assert "ana" not in str([row for row in await graph_rows(graph, tenant) if gone_word in str(row)])
    for whose, user in ((other, "ana"), (tenant, "bob")):
        query = (
            "query($u: String!) { facts(userId: $u) { nodes { statement } } messages(userId: $u) { nodes { text } } }"
        )
        theirs = await api.send(tenant=whose, query=query, variables={"u": user})
        assert str(theirs["data"]).count(gone_word) >= 2


async def test_a_running_sweep_wakes_at_the_next_expiry(graph: Graph, tenant: str) -> None:
    memory, stop = a_memory(graph), asyncio.Event()
    running = asyncio.create_task(MessageExpiry(graph, memory.forgetting, clock=lambda: datetime.now(UTC)).run(stop))
    messages = tuple(IncomingMessage(role="user", text=f"I like tea {n}.", ttl_s=0.2 * n) for n in (1, 2, 3))
    await memory.remember(TenantId(tenant), RememberRequest(user_id="ana", session_id="s", messages=messages))

    async def empty() -> bool:
        rows = [row for row in await graph_rows(graph, tenant) if "tea" in str(row)]
        return not rows and not (await memory.short_term(TenantId(tenant), "ana", "s", turns=5)).turns

    await eventually(empty)
    stop.set()
    await running


async def test_a_changed_expiry_counts_and_others_keep_it(api: Api, graph: Graph, tenant: str) -> None:
    noon = "2090-01-01T12:00:00+00:00"
    await remember(api, {"text": "I like figs.", "id": "1", "ttlS": 60}, {"text": "I like tea.", "id": "2"})
    before = (await listed(api))[0]["expiresAt"]
    for changes in ({"tags": ["a"]}, {"text": "I like plums."}):
        assert (await api.ask(SET, id="1", **changes))["data"]["setMessage"]["expiresAt"] == before
    assert (await api.ask(SET, id="1", at=noon))["data"]["setMessage"] == {"expiresAt": noon, "version": 4}
    changed = (await api.ask(SET, id="2", text=LONG["zh"], ttl=60))["data"]["setMessage"]
    assert changed["expiresAt"] > before
    repeated = await remember(api, {"text": "I like plums.", "id": "1", "ttlS": 60})
    assert repeated["data"]["remember"]["repeated"] == 1
    ids = [(await message(api, name))["id"] for name in ("1", "2")]
    hour = datetime.now(UTC) + timedelta(hours=1)
    done = await a_memory(graph).forgetting.expired(TenantId(tenant), ids, until=hour)
    assert done.messages == 1
    assert [said["text"] for said in await listed(api)] == ["I like plums."]
    assert "明天" not in str(await graph_rows(graph, tenant))


async def test_an_expiry_is_removed_and_the_message_stays(api: Api, graph: Graph, tenant: str) -> None:
    long = LONG["en"]
    await remember(api, {"text": long, "id": "1", "ttlS": 60}, {"text": "I like plums.", "id": "2", "ttlS": 60})
    for name in ("1", "2"):
        assert (await api.ask(SET, id=name, never=True))["data"]["setMessage"] == {"expiresAt": None, "version": 2}
    refused = await api.ask(SET, id="1", never=True, ttl=5)
    assert refused["errors"][0]["extensions"]["code"] == "BAD_INPUT"
    await expiry(graph, late=timedelta(hours=1)).sweep()
    assert [(said["text"], said["expiresAt"]) for said in await listed(api)] == [(long, None), ("I like plums.", None)]


async def test_messages_that_expire_soon_are_not_read_again(api: Api, graph: Graph, tenant: str) -> None:
    stored_at, lives_s = datetime.now(UTC) - timedelta(days=10), timedelta(days=10).total_seconds()
    messages = tuple(
        IncomingMessage(role="user", text=text, ttl_s=ttl_s)
        for text, ttl_s in (("I like figs.", lives_s - 1), ("I like plums.", lives_s + 3600), ("I like tea.", None))
    )
    request = RememberRequest(user_id="ana", session_id="s", messages=messages)
    await store_episodes(graph, [check_request(TenantId(tenant), request, now=stored_at).episode], epoch="e")
    for likes in ({"figs", "plums", "tea"}, {"tea"}):
        await a_worker(graph).drain()
        facts = str((await api.ask('{ facts(userId: "ana") { nodes { statement } } }'))["data"])
        assert {name for name in ("figs", "plums", "tea") if name in facts} == likes
        await expiry(graph).sweep()
    assert [(said["text"], said["isRead"]) for said in await listed(api)] == [
        ("I like plums.", True),
        ("I like tea.", True),
    ]
    assert not (await a_memory(graph).sync(TenantId(tenant), dry_run=True)).found


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"ttlS": 0}, "ttlS is 0"),
        ({"ttlS": -1}, "ttlS is -1"),
        ({"ttlS": 1e12}, "at most"),
        ({"ttlS": 5, "expiresAt": "2090-01-01T12:00:00Z"}, "exclude each other"),
        ({"expiresAt": "2020-01-01T12:00:00Z"}, "in the past"),
        ({"expiresAt": "9999-01-01T12:00:00Z"}, "year 9999"),
    ],
)
async def test_an_invalid_expiry_is_refused(api: Api, wrong: dict[str, Any], problem: str) -> None:
    await remember(api, {"text": "Stays.", "id": "1"})
    for answer in (
        await remember(api, {"text": "fine"}, {"text": "x", **wrong}),
        await api.ask(SET, id="1", at=wrong.get("expiresAt"), ttl=wrong.get("ttlS")),
    ):
        assert answer["errors"][0]["extensions"]["code"] == "BAD_INPUT"
        assert problem in answer["errors"][0]["message"]
    assert [(said["text"], said["expiresAt"]) for said in await listed(api)] == [("Stays.", None)]


async def test_an_expiry_survives_spool_and_export(api: Api, graph: Graph, tenant: str) -> None:
    said = IncomingMessage(role="user", text=LONG["en"], id="1", ttl_s=3600)
    request = RememberRequest(user_id="ana", session_id="s", messages=(said,))
    episode = check_request(TenantId(tenant), request, now=datetime.now(UTC)).episode
    read = EPISODE.validate_json(EPISODE.dump_json(episode))
    assert read == episode
    await store_episodes(graph, [read], epoch="e")
    (stored,) = await listed(api)
    assert datetime.fromisoformat(stored["expiresAt"]) - episode.received_at == pytest.approx(
        timedelta(hours=1), abs=timedelta(milliseconds=1)
    )
    exported = (await api.ask("mutation { exportGraph { text } }"))["data"]["exportGraph"]["text"]
    other = f"{tenant}-copy"
    importing = "mutation($t: String!) { importGraph(text: $t) { nodes } }"
    await api.send(tenant=other, query=importing, variables={"t": exported})
    copied = (await api.send(tenant=other, query=LIST))["data"]["messages"]["nodes"]
    assert [one["expiresAt"] for one in copied] == [stored["expiresAt"]]
    await expiry(graph, late=timedelta(hours=2)).sweep()
    assert (await api.send(tenant=other, query=LIST))["data"]["messages"]["nodes"] == []


async def test_expired_messages_on_disk_are_no_offline_answer(tenant: str, tmp_path: Any) -> None:
    spool = Spool(tmp_path / "spool.sqlite3", bytes_max=2**20)
    memory = a_memory(a_dead_graph(), spool=spool)
    messages = tuple(
        IncomingMessage(role="user", text=f"The door code is {code}.", ttl_s=ttl_s)
        for code, ttl_s in ((1234, AT_ONCE_S), (5678, 3600))
    )
    await memory.remember(TenantId(tenant), RememberRequest(user_id="ana", session_id="s", messages=messages))
    answer = await memory.recall(TenantId(tenant), Question(user_id="ana", text="door code"))
    assert [hit.candidate.text for hit in answer.hits] == ["The door code is 5678."]
    await spool.close()
