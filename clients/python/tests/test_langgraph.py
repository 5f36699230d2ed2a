"""Test the store for LangGraph with langgraph itself: the contract of `BaseStore`, and an agent that uses it."""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from typing_extensions import TypedDict

from mnemoscene.langgraph import MnemosceneStore


@pytest.fixture
def store(url: str, key: str | None) -> Iterator[MnemosceneStore]:
    made = MnemosceneStore(url, key, index={"fields": ["text", "notes[*].body"]})
    yield made
    made.close()


@pytest.fixture
def ns() -> tuple[str, ...]:
    """Return a namespace of this test alone."""
    return (f"n{uuid.uuid4().hex[:10]}", "memories")


def keys(items: list[Any]) -> list[str]:
    return sorted(item.key for item in items)


def until(call: Callable[[], Any], within_s: float = 30) -> Any:
    """Call until it returns something true: vectors are computed in the background."""
    end_s = time.monotonic() + within_s
    while not (found := call()) and time.monotonic() < end_s:
        time.sleep(0.1)
    return found


def test_put_replaces_and_keeps_the_time_of_creation(store: MnemosceneStore, ns: tuple[str, ...]) -> None:
    value = {"text": "tea", "deep": [1, {"none": None, "é": "日本語"}], "n": 1.5}
    store.put(ns, "k", value)
    first = store.get(ns, "k")
    assert first is not None
    assert (first.namespace, first.key, first.value) == (ns, "k", value)
    store.put(ns, "k", {"text": "coffee"})
    second = store.get(ns, "k")
    assert second is not None
    assert second.value == {"text": "coffee"}
    assert second.created_at == first.created_at < second.updated_at
    store.delete(ns, "k")
    store.delete(ns, "k")
    assert store.get(ns, "k") is None


@pytest.mark.parametrize("key_", ["a/b", "%2F", "#x", "a b", "K", "k", "日本語", "y" * 500])
def test_keys_are_opaque(store: MnemosceneStore, ns: tuple[str, ...], key_: str) -> None:
    store.put(ns, key_, {"key": key_})
    assert [item.value for item in store.search(ns)] == [{"key": key_}]


def test_search_takes_whole_labels_of_the_prefix(store: MnemosceneStore, ns: tuple[str, ...]) -> None:
    root = ns[0]
    for number, path in enumerate([(root, "a"), (root, "a", "b"), (root, "ab")]):
        store.put(path, str(number), {"text": "x"})
    assert keys(store.search((root, "a"))) == ["0", "1"]
    assert keys(store.search((root,))) == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ({"kind": "a"}, ["1", "2"]),
        ({"kind": {"$ne": "a"}}, ["3"]),
        ({"n": {"$gt": 5}}, ["2", "3"]),
        ({"n": {"$gte": 5.5, "$lt": 10}}, ["3"]),
        ({"n": {"$lte": 5.5}, "kind": "a"}, ["1"]),
        ({"m": {"x": 1}}, ["3"]),
        ({"kind": {"$eq": "c"}}, []),
    ],
)
def test_filter_of_each_operator(
    store: MnemosceneStore, ns: tuple[str, ...], condition: dict[str, Any], wanted: list[str]
) -> None:
    values = {"1": {"kind": "a", "n": 1}, "2": {"kind": "a", "n": 10}, "3": {"kind": "b", "n": 5.5, "m": {"x": 1}}}
    store.batch([PutOp(ns, name, value) for name, value in values.items()])
    assert keys(store.search(ns, filter=condition)) == wanted


def test_filter_and_pages_see_all_items(store: MnemosceneStore, ns: tuple[str, ...]) -> None:
    store.batch([PutOp(ns, f"{n:03}", {"text": "tea", "rare": n == 7}) for n in range(120)])
    assert keys(store.search(ns, query="tea", filter={"rare": True}, limit=1)) == ["007"]
    pages = [store.search(ns, limit=50, offset=offset) for offset in (0, 50, 100, 150)]
    assert [len(page) for page in pages] == [50, 50, 20, 0]
    assert len({item.key for page in pages for item in page}) == 120


def test_search_ranks_by_meaning_in_the_indexed_fields(store: MnemosceneStore, ns: tuple[str, ...]) -> None:
    store.put(ns, "tea", {"text": "green tea from Uji"})
    store.put(ns, "bike", {"notes": [{"body": "a bicycle with a flat tyre"}]})
    store.put(ns, "hidden", {"text": "green tea from Uji"}, index=False)
    store.put(ns, "other", {"text": "x", "place": "green tea from Uji"}, index=["place"])
    found = until(lambda: store.search(ns, query="green tea", limit=5))
    assert found[0].key in ("tea", "other")
    assert found[0].score >= found[-1].score
    assert "hidden" not in keys(found)
    assert until(lambda: store.search(ns, query="flat tyre"))[0].key == "bike"
    assert keys(store.search(ns)) == ["bike", "hidden", "other", "tea"]


def test_namespaces_are_listed_by_prefix_suffix_depth_and_page(store: MnemosceneStore, ns: tuple[str, ...]) -> None:
    r = ns[0]
    paths = [
        (r, "a", "b", "c"),
        (r, "a", "b", "d", "e"),
        (r, "a", "b", "d", "i"),
        (r, "a", "b", "f"),
        (r, "a", "c", "f"),
    ]
    store.batch([PutOp(path, "k", {"x": 1}) for path in paths])
    shown = store.list_namespaces(prefix=(r, "a", "b"), max_depth=4)
    assert shown == [(r, "a", "b", "c"), (r, "a", "b", "d"), (r, "a", "b", "f")]
    assert store.list_namespaces(prefix=(r,), suffix=("f",)) == [(r, "a", "b", "f"), (r, "a", "c", "f")]
    assert store.list_namespaces(prefix=(r, "*", "c")) == [(r, "a", "c", "f")]
    assert [len(store.list_namespaces(prefix=(r,), limit=3, offset=offset)) for offset in (0, 3, 6)] == [3, 2, 0]


def test_batch_reads_first_and_keeps_the_order_of_results(store: MnemosceneStore, ns: tuple[str, ...]) -> None:
    store.put(ns, "k", {"text": "old"})
    listing = ListNamespacesOp((MatchCondition("prefix", (ns[0],)),))
    writes = [PutOp(ns, "k", {"text": "1"}), PutOp(ns, "k", {"text": "2"})]
    item, found, names, *none = store.batch([GetOp(ns, "k"), SearchOp(ns), listing, *writes])
    assert (item.value, keys(found), names, none) == ({"text": "old"}, ["k"], [ns], [None, None])  # type: ignore[union-attr, arg-type]
    assert store.get(ns, "k").value == {"text": "2"}  # type: ignore[union-attr]


@pytest.mark.parametrize("path", [(), ("langgraph",), ("a.b",), ("",)])
def test_invalid_namespace_is_refused(store: MnemosceneStore, path: tuple[str, ...]) -> None:
    with pytest.raises(InvalidNamespaceError):
        store.put(path, "k", {"text": "x"})


def test_item_with_ttl_expires_and_reading_prolongs_it(store: MnemosceneStore, ns: tuple[str, ...]) -> None:
    store.put(ns, "short", {"text": "x"}, ttl=0.02)
    assert store.get(ns, "short", refresh_ttl=False) is not None
    assert until(lambda: store.get(ns, "short", refresh_ttl=False) is None)
    assert store.search(ns) == []


def test_items_of_users_and_of_the_tenant_are_apart(url: str, key: str | None, ns: tuple[str, ...]) -> None:
    stores = [MnemosceneStore(url, key), *(MnemosceneStore(url, key, user_id=f"{ns[0]}-{n}") for n in range(2))]
    for number, store in enumerate(stores):
        store.put(ns, "k", {"owner": number})
    assert [store.get(ns, "k").value for store in stores] == [{"owner": n} for n in range(3)]  # type: ignore[union-attr]


def test_block_of_the_readme_runs(url: str) -> None:
    page = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    (text,) = re.findall(r"^```python\n(from mnemoscene.langgraph .*?)^```$", page, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(text.replace("http://127.0.0.1:7780", url), names)
    assert names["found"][0].value == {"text": "Ana likes green tea."}


def test_async_methods_work_in_several_event_loops(store: MnemosceneStore, ns: tuple[str, ...]) -> None:
    async def run() -> None:
        await asyncio.gather(*(store.aput(ns, str(n), {"text": str(n)}) for n in range(10)))
        assert len(await store.asearch(ns, limit=20)) == 10
        await store.adelete(ns, "3")
        assert await store.aget(ns, "3") is None
        await store.aclose()

    asyncio.run(run())
    asyncio.run(run())


def test_compiled_graph_reads_and_writes_the_store(store: MnemosceneStore, ns: tuple[str, ...]) -> None:
    class State(TypedDict):
        said: str
        known: list[str]

    def note(state: State, *, store: BaseStore) -> dict[str, Any]:
        known = [item.value["text"] for item in store.search(ns)]
        store.put(ns, state["said"], {"text": state["said"]})
        return {"known": known}

    builder = StateGraph(State)
    builder.add_node("note", note)
    builder.add_edge(START, "note")
    builder.add_edge("note", END)
    graph = builder.compile(store=store)
    assert graph.invoke({"said": "tea", "known": []})["known"] == []
    assert graph.invoke({"said": "trams", "known": []})["known"] == ["tea"]
