"""Test the Python client against a running service: every operation, blocking and awaiting."""

import asyncio
import inspect
import re
import textwrap
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from graph_service.live.change_feed import LIVE_LIMITS
from mnemoscene import AsyncMemory, BadInput, Conflict, Denied, Memory, Message, NewFact, NotFound, operations
from mnemoscene.items import AsyncItems, ItemOperations, Items
from mnemoscene.models import Change
from mnemoscene.operations import MemoryOperations
from tests.conftest import Server
from tests.support.open_service import OpenService, open_service
from tests.support.polling import eventually, until


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def service(
    server: Server, graph: object, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[OpenService]:
    async with open_service(server, tmp_path_factory.mktemp("client"), {"MNEMOSCENE_AUTH_REQUESTS_PER_S": "0"}) as made:
        yield made


@pytest.fixture
def memory(service: OpenService, tenant: str) -> Iterator[Memory]:
    """Return a blocking client; call it in a thread, because the service runs in the loop of the tests."""
    with Memory(service.http, user_id="ana", tenant=tenant) as made:
        yield made


async def in_thread(call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return await asyncio.to_thread(partial(call, *args, **kwargs))


def read(memory: Memory, n: int) -> None:
    """Wait until everything is read, and so many facts are known."""
    assert memory.wait(300)
    assert len(memory.facts()) >= n


async def test_what_was_said_is_recalled_with_evidence(memory: Memory) -> None:
    def run() -> None:
        receipt = memory.remember([("user", "I moved to Lisbon in May."), ("assistant", "Noted.")], session_id="s1")
        assert (receipt.stored, len(receipt.ids), receipt.conflicts) == (2, 2, [])
        read(memory, 1)
        hits = memory.recall("Where does Ana live?", kinds=["fact"])
        assert "Lisbon" in hits[0].text
        assert (hits[0].kind, hits[0].evidence[0].text) == ("fact", "I moved to Lisbon in May.")
        assert "Lisbon" in memory.context("Where shall we meet?", max_tokens=300).text
        assert {"Lisbon"} <= {item.object for part in memory.profile() for item in part.items}
        assert [(one.session_id, one.messages) for one in memory.sessions()] == [("s1", 2)]

    await in_thread(run)


async def test_facts_are_listed_corrected_and_forgotten(memory: Memory) -> None:
    def run() -> None:
        memory.remember("I live in Lisbon.")
        read(memory, 1)
        fact = memory.facts()[0]
        assert (fact.object, memory.fact(fact.id).holds) == ("Lisbon", True)
        changed = memory.update(fact.id, "Ana lives in Porto.", object="Porto")
        assert [one.object for one in memory.facts()] == ["Porto"]
        assert {one.object for one in memory.history(changed.fact_id or "")} >= {"Porto"}
        assert memory.forget(fact=changed.fact_id).facts >= 1
        with pytest.raises(NotFound):
            memory.fact(changed.fact_id or "")

    await in_thread(run)


async def test_caller_may_send_facts_and_messages_in_every_form(memory: Memory) -> None:
    def run() -> None:
        said = [
            "Hello.",
            ("assistant", "Hi."),
            {"role": "user", "content": "I like tea."},
            Message(text="Paid the rent.", role="event", id="m-4", speaker="Ana", importance="high", tags=["rent"]),
        ]
        fact = {"subject": "user", "predicate": "PREFERS", "object": "tea", "statement": "Ana likes tea."}
        receipt = memory.remember(
            said, facts=[fact, NewFact(**fact | {"object": "x", "predicate": "NO"})], tags=["home"]
        )
        assert (receipt.stored, len(receipt.dropped)) == (4, 1)
        assert memory.remember(said[3], id="m-4").repeated == 1
        read(memory, 1)
        assert [one.statement for one in memory.facts()] == ["Ana likes tea."]
        (hit,) = memory.recall("rent", kinds=["message"], tags=["rent"])
        assert (hit.role, sorted(hit.tags)) == ("event", ["home", "rent"])

    await in_thread(run)


DOORS = """{
  recall(userId: "ana", query: "plums or figs", limit: 50, evidence: 5) { hits { text evidence { text } } }
  context(userId: "ana", query: "plums or figs") { text }
  messages(userId: "ana") { nodes { text } }
  facts(userId: "ana", includeClosed: true) { nodes { statement } }
  profile(userId: "ana") { items { statement } }
  shortTerm(userId: "ana", sessionId: "default") { turns { text } }
  graph(userId: "ana") { nodes { name } } }"""


async def test_messages_expire_together_or_each_at_its_time(memory: Memory, service: OpenService, tenant: str) -> None:
    def doors_with(*words: str) -> list[int]:
        """Return how many of the doors show each of the words."""
        headers = {"Mnemoscene-Tenant": tenant}
        answer = httpx.post(f"{service.http}/graphql", json={"query": DOORS}, headers=headers, timeout=600)
        shown = [str(one) for one in (answer.json()["data"] or {}).values()]
        return [sum(word in one for one in shown) for word in words]

    def run() -> None:
        said = ["I like figs.", Message(text="I like plums.", id="kept", expires_at=datetime(2090, 1, 1, tzinfo=UTC))]
        memory.remember(said, ttl=timedelta(hours=1))
        first, second = list(memory.messages())
        assert (first.expires_at or second.time) - first.time < timedelta(seconds=3601)
        assert second.expires_at == datetime(2090, 1, 1, tzinfo=UTC)
        assert memory.set_message("kept", session_id=second.session_id, never_expires=True).expires_at is None
        until(lambda: doors_with("figs", "plums") == [7, 7])
        assert memory.set_message("kept", ttl=2).version == 3
        # The running service forgets it by itself, and reads the other message again.
        until(lambda: doors_with("figs", "plums") == [7, 0])
        with pytest.raises(NotFound):
            memory.message("kept")

    await in_thread(run)


async def test_more_messages_than_a_call_holds_are_stored(memory: Memory) -> None:
    receipt = await in_thread(memory.remember, [f"Note number {n}." for n in range(1_001)], session_id="long")
    assert (receipt.stored, len(set(receipt.ids))) == (1_001, 1_001)
    assert (await in_thread(memory.forget, session="long")).messages == 1_001


async def test_forgetting_names_one_thing_and_a_user_twice(memory: Memory) -> None:
    def run() -> None:
        receipt = memory.remember("I live in Lisbon.")
        for wrong in ({}, {"user": "ana"}, {"user": "bob", "confirm": "bob"}, {"message": "a", "fact": "b"}):
            with pytest.raises(BadInput):
                memory.forget(**wrong)  # type: ignore[arg-type]
        assert memory.forget(message=receipt.ids[0]).messages == 1
        memory.remember("I live in Porto.")
        assert memory.forget(user="ana", confirm="ana").messages == 1
        assert memory.recall("Porto") == []

    await in_thread(run)


async def test_memory_of_an_agent_is_its_own(service: OpenService, tenant: str) -> None:
    async with AsyncMemory(service.http, user_id=None, agent_id="desk", tenant=tenant) as agent:
        await agent.remember([("assistant", "I always ask for the order number.")])
        assert "order number" in (await agent.recall("What do I ask for?"))[0].text
        assert [one.session_id for one in await agent.sessions()] == ["default"]
        async with AsyncMemory(service.http, user_id="ana", agent_id="desk", tenant=tenant) as user:
            assert await user.recall("order number") == []


async def test_facts_are_filtered_and_a_correction_names_its_version(memory: Memory) -> None:
    def run() -> None:
        memory.remember("I work at Acme.", session_id="s1", tags=["job"])
        memory.remember("I love green tea.", session_id="s2", tags=["drink"])
        read(memory, 2)
        for wanted in ({"tag": "drink"}, {"category": "preferences"}, {"text": "GREEN"}, {"session_id": "s2"}):
            (fact,) = memory.facts(**wanted)  # type: ignore[arg-type]
            assert "tea" in fact.object
        assert len(memory.facts(tag=["job", "drink"])) >= 2
        assert len(memory.facts(limit=1)) == 1
        with pytest.raises(Conflict):
            memory.update(fact.id, "Ana loves black tea.", if_version=fact.version + 1)
        assert memory.update(fact.id, "Ana loves black tea.", object="black tea", if_version=fact.version).fact_id

    await in_thread(run)


async def test_message_is_replaced_and_users_are_listed(service: OpenService, memory: Memory, tenant: str) -> None:
    def run() -> None:
        memory.remember("I live in Porto.", id="m-1", metadata={"n": 1})
        read(memory, 1)
        changed = memory.set_message("m-1", "I live in Lisbon.", if_version=1)
        assert (changed.text, changed.version, changed.metadata) == ("I live in Lisbon.", 2, {"n": 1})
        read(memory, 1)
        assert [fact.object for fact in memory.facts()] == ["Lisbon"]
        with pytest.raises(Conflict):
            memory.set_message("m-1", "I live in Faro.", if_version=1)
        with Memory(service.http, user_id="bob", tenant=tenant) as other:
            other.remember("Hello.", extract=False)
            assert [user.user_id for user in other.users(prefix="a")] == ["ana"]
            assert sorted(user.user_id for user in other.users()) == ["ana", "bob"]
            with pytest.raises(NotFound):
                other.message("m-1")

    await in_thread(run)


async def test_metadata_filters_recall_lists_and_forgetting(memory: Memory) -> None:
    def run() -> None:
        for n in range(3):
            memory.remember(f"I love the tea of shop {n}.", session_id=f"s{n}", metadata={"n": n, "kind": ["a", "b"]})
        assert [hit.metadata["n"] for hit in memory.recall("tea", where={"n": {"gt": 1}}, kinds=["message"])] == [2]
        assert [one.metadata["n"] for one in memory.messages(where={"kind": {"contains": "b"}, "n": {"ne": 0}})] == [
            1,
            2,
        ]
        with pytest.raises(BadInput, match="near"):
            memory.recall("tea", where={"n": {"near": 1}})
        assert memory.forget(where={"n": {"lte": 1}}, dry_run=True).messages == 2
        assert memory.forget(where={"n": {"lte": 1}}, session="s0").messages == 1
        assert sorted(one.metadata["n"] for one in memory.messages()) == [1, 2]

    await in_thread(run)


async def test_messages_are_listed_in_pages_and_read_by_the_callers_id(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(operations, "MESSAGES_PAGE", 3)

    def run() -> None:
        said = [Message(text=f"Note {n}.", id=f"n-{n}", raw={"n": [n, None]}) for n in range(8)]
        memory.remember(said, session_id="s1", metadata={"project": "x"}, extract=False)
        memory.remember([("assistant", "x" * 150_000)], session_id="s2")
        assert [one.external_id for one in memory.messages("s1")] == [f"n-{n}" for n in range(8)]
        assert [one.raw for one in memory.messages("s1", newest_first=True, limit=4)] == [
            {"n": [n, None]} for n in (7, 6, 5, 4)
        ]
        assert [len(one.text) for one in memory.messages()][-1] == 150_000
        found = memory.message("n-3", session_id="s1")
        assert (found.text, found.metadata, found.version) == ("Note 3.", {"project": "x"}, 1)
        assert memory.wait(300)
        assert memory.facts() == []
        with pytest.raises(NotFound):
            memory.message("n-3", session_id="s2")
        assert memory.forget(message="n-3", session="s1").messages == 1
        assert len(list(memory.messages("s1"))) == 7

    await in_thread(run)


async def test_changes_are_followed_live(service: OpenService, tenant: str) -> None:
    async with AsyncMemory(service.http, user_id="ana", tenant=tenant) as memory:
        await memory.remember("I live in Lisbon.")
        await eventually(lambda: _has_facts(memory))
        seen = [change async for change in memory.changes(timeout=0, since=0)]
        assert {"node+", "edge+"} <= {change.op for change in seen}
        assert [change async for change in memory.changes(timeout=0)] == []
        latest = seen[-1].seq
        assert [change async for change in memory.changes(timeout=0, since=latest)] == []
        following = asyncio.create_task(_first(memory.changes(timeout=60, since=latest)))
        await memory.remember("I like tea.")
        assert (await following).seq > latest


async def test_changes_are_waited_for_without_polling_and_seen_by_their_owner_only(
    service: OpenService, tenant: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [
        AsyncMemory(service.http, user_id="ben", tenant=tenant),
        AsyncMemory(service.http, user_id="ana", tenant=f"{tenant}-other"),
    ]
    async with AsyncMemory(service.http, user_id="ana", tenant=tenant) as memory:
        await memory.remember("I like coffee.", extract=False)
        following = asyncio.create_task(_first(memory.changes()))
        seen_by_others = [asyncio.create_task(_first(other.changes())) for other in others]
        await eventually(lambda: _waiting(service, 3))
        sent = Counter[str]()
        monkeypatch.setattr(httpx.AsyncClient, "post", _counted(httpx.AsyncClient.post, sent))
        await memory.remember("I like tea.")
        change = await asyncio.wait_for(following, 60)
        assert (change.user_id, change.op) == ("ana", "node+")
        # One by `remember`; whoever waits sends nothing.
        assert sent.total() == 1
        assert not any(task.done() for task in seen_by_others)
        for task in seen_by_others:
            task.cancel()
    await asyncio.gather(*(other.close() for other in others))
    await eventually(lambda: _waiting(service, 0))


def _counted(call: Callable[..., Any], sent: Counter[str]) -> Callable[..., Any]:
    async def post(*args: Any, **kwargs: Any) -> Any:
        sent["post"] += 1
        return await call(*args, **kwargs)

    return post


async def test_changes_go_on_after_a_restart_of_the_service(server: Server, tmp_path: Path, tenant: str) -> None:
    async with open_service(server, tmp_path) as first:
        port = httpx.URL(first.http).port or 0
        memory = AsyncMemory(first.http, user_id="ana", tenant=tenant)
        await memory.remember("I like tea.")
        # Else its fact may be the first change, before anyone looks for the waiting client.
        await memory.wait()
        following = memory.changes()
        seen = asyncio.create_task(_first(following))
        await eventually(lambda: _waiting(first, 1))
        await memory.remember("I like coffee.")
        assert (await seen).op == "node+"
        later = asyncio.create_task(_first_with("cocoa", following))
    async with open_service(server, tmp_path, port=port), memory:
        await memory.remember("I like cocoa.")
        assert "cocoa" in str((await asyncio.wait_for(later, 60)).body)


async def _first_with(text: str, changes: AsyncIterator[Change]) -> Change:
    return await anext(change async for change in changes if text in str(change.body))


async def test_waiting_for_changes_is_bounded(service: OpenService, tenant: str) -> None:
    key = (await service.key(tenant)).text
    try:
        async with AsyncMemory(service.http, key, user_id="ana") as memory, service.client(key) as client:

            async def refusal(wait_s: float) -> str:
                document = f"{{ changesSince(seq: 0, waitS: {wait_s}) {{ head }} }}"
                told = (await client.post("/graphql", json={"query": document})).json()
                return told["errors"][0]["extensions"]["code"] if "errors" in told else ""

            assert [await refusal(61), await refusal(-1)] == ["BAD_INPUT", "BAD_INPUT"]
            waiting = [asyncio.create_task(_first(memory.changes())) for _ in range(LIVE_LIMITS.viewers_of_credential)]
            await eventually(lambda: _is(refusal(0.01), "RATE_LIMITED"))
            await memory.remember("I like tea.")
            assert {change.user_id for change in await asyncio.gather(*waiting)} == {"ana"}
    finally:
        await service.forget_keys()


async def _is(answer: Awaitable[str], expected: str) -> bool:
    return await answer == expected


async def _waiting(service: OpenService, n: int) -> bool:
    async with service.client() as client:
        page = (await client.get("/metrics")).text
        return re.search(rf"^mnemoscene_viewers {n}(\.0)?$", page, re.MULTILINE) is not None


async def _first(changes: AsyncIterator[Change]) -> Change:
    return await anext(changes)


async def _has_facts(memory: AsyncMemory) -> bool:
    return bool(await memory.facts())


async def test_key_of_another_tenant_and_no_key_are_denied(service: OpenService, tenant: str) -> None:
    key = await service.key(tenant)
    try:
        async with AsyncMemory(service.http, key.text, user_id="ana") as memory:
            await memory.remember("I live in Lisbon.")
            assert len(await memory.recall("Lisbon")) > 0
        for wrong in (None, "mnk_wrong"):
            async with AsyncMemory(service.http, wrong, user_id="ana", tenant=tenant) as memory:
                with pytest.raises(Denied) as raised:
                    await memory.recall("Lisbon")
                assert raised.value.code == "UNAUTHORIZED"
        async with AsyncMemory(service.http, key.text, user_id="ana", tenant="other") as memory:
            with pytest.raises(Denied):
                await memory.recall("Lisbon")
    finally:
        await service.forget_keys()


def public(kind: type) -> dict[str, Any]:
    return {name: value for name, value in vars(kind).items() if not name.startswith("_") and callable(value)}


@pytest.mark.parametrize("kinds", [(Memory, AsyncMemory, MemoryOperations), (Items, AsyncItems, ItemOperations)])
def test_both_clients_offer_the_same_operations_with_the_same_arguments(kinds: tuple[type, type, type]) -> None:
    sync, later, told = map(public, kinds)
    assert set(sync) - {"close"} == set(later) - {"close"} == set(told)
    for name in told:
        assert inspect.signature(sync[name]).parameters == inspect.signature(later[name]).parameters
        assert "Steps" not in str(inspect.signature(sync[name])), name


async def test_readme_of_the_client_runs(service: OpenService) -> None:
    """The first Python block of clients/python/README.md; those of adapters are run where their libraries are."""
    page = (Path(__file__).parents[3] / "clients/python/README.md").read_text("utf-8")
    (text,) = re.findall(r"^```python\n(from mnemoscene import .*?)^```$", page, re.MULTILINE | re.DOTALL)
    async with AsyncMemory(service.http, user_id="ana") as memory:
        await memory.remember("I moved to Lisbon in May.")
        await eventually(lambda: _has_facts(memory))
    names: dict[str, Any] = {}
    await in_thread(exec, text.replace("http://127.0.0.1:7780", service.http), names)
    assert "Lisbon" in names["prompt"]


async def test_first_example_of_the_main_page_runs(service: OpenService, capsys: pytest.CaptureFixture[str]) -> None:
    """The Python block of README.md, for a user of this test."""
    page = (Path(__file__).parents[3] / "README.md").read_text("utf-8")
    (text,) = re.findall(r"^```python\n(from mnemoscene import .*?)^```$", page, re.MULTILINE | re.DOTALL)
    await in_thread(exec, text.replace("http://127.0.0.1:7780", service.http).replace('"ana"', '"example"'), {})
    assert "Lisbon" in capsys.readouterr().out


OPERATIONS = {**public(MemoryOperations), **{f"items.{name}": one for name, one in public(ItemOperations).items()}}
EXAMPLES = {
    name: textwrap.dedent(found[1])
    for name, method in OPERATIONS.items()
    if (found := re.search(r"Example:\n(.*)", method.__doc__ or "", re.DOTALL))
}


def test_each_operation_has_an_example() -> None:
    assert set(EXAMPLES) == set(OPERATIONS)


async def test_examples_of_all_docstrings_run(memory: Memory) -> None:
    def run() -> None:
        memory.remember("I live in Lisbon and I love trams.")
        read(memory, 2)
        for text in EXAMPLES.values():
            exec(text, {"memory": memory})

    await in_thread(run)
