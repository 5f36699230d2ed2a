"""Test the replacement for mem0: the contract of its methods, and what becomes of what is read.

With `--reference` the contract is tested with mem0 itself (`pip install mem0ai==2.2.1`), with stand-ins for its models.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import os
import re
import tempfile
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mnemoscene import Memory, NotFound
from mnemoscene import mem0 as ours

FIELDS = {"id", "memory", "hash", "metadata", "score", "created_at", "updated_at"}
DAY = timedelta(days=1)
beyond_mem0 = pytest.mark.skipif("config.getoption('--reference')", reason="goes beyond mem0")
with_mem0 = pytest.mark.skipif("not config.getoption('--reference')", reason="needs mem0")


class WordVectors:
    """Stand-in for an embedder: equal words make similar vectors."""

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        vector = [0.01] * 256
        for word in re.findall(r"\w+", text.lower()):
            vector[int(hashlib.md5(word.encode()).hexdigest(), 16) % 256] += 1.0
        return vector

    def embed_batch(self, texts: list[str], memory_action: str | None = None) -> list[list[float]]:
        return [self.embed(text) for text in texts]


class SentenceReader:
    """Stand-in for a model: each message of the user is a memory."""

    def generate_response(self, messages: list[dict[str, str]], **kwargs: Any) -> str:
        new = messages[-1]["content"].rpartition("New Messages")[2]
        return json.dumps({"memory": [{"id": "0", "text": text} for text in re.findall(r"user: (.+)", new)]})


@pytest.fixture(scope="module")
def is_reference(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--reference"))


@pytest.fixture(scope="module")
def library(is_reference: bool) -> Any:
    """Return the module with `Memory`, `AsyncMemory` and `ValidationError`."""
    if not is_reference:
        return ours
    os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=tempfile.mkdtemp(prefix="mem0-"))
    library = pytest.importorskip("mem0")
    library.ValidationError = library.exceptions.ValidationError
    return library


@pytest.fixture(scope="module")
def memory(request: pytest.FixtureRequest, library: Any, is_reference: bool) -> Iterator[Any]:
    if not is_reference:
        settings = {"url": request.getfixturevalue("url"), "key": request.getfixturevalue("key")}
        made = ours.Memory.from_config({"version": "v1.1", "mnemoscene": settings})
    else:
        folder = tempfile.mkdtemp(prefix="mem0-store-")
        store = {"path": folder, "embedding_model_dims": 256, "on_disk": True}
        model = {"provider": "openai", "config": {"api_key": "none"}}
        made = library.Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": store},
                "llm": model,
                "embedder": model,
                "history_db_path": f"{folder}/history.db",
            }
        )
        made.embedding_model, made.llm = WordVectors(), SentenceReader()
    yield made
    made.close()


def texts(answer: dict[str, Any]) -> list[str]:
    return sorted(found["memory"] for found in answer["results"])


def keep(memory: Any, text: Any, **arguments: Any) -> str:
    """Store a message verbatim and return the memory's id."""
    (result,) = memory.add(text, infer=False, **arguments)["results"]
    return str(result["id"])


def day(offset: int) -> str:
    return (datetime.now(UTC) + offset * DAY).date().isoformat()


def test_add_keeps_messages_verbatim(memory: Any, user_id: str) -> None:
    said = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "I love trams. ¡Olé! 日本", "name": "ana"},
        {"role": "assistant", "content": "Noted."},
        {"role": "user"},
    ]
    results = memory.add(said, user_id=user_id, metadata={"topic": "traffic"}, infer=False)["results"]
    assert [{name: value for name, value in one.items() if name != "id"} for one in results] == [
        {"memory": "I love trams. ¡Olé! 日本", "event": "ADD", "actor_id": "ana", "role": "user"},
        {"memory": "Noted.", "event": "ADD", "actor_id": None, "role": "assistant"},
    ]
    found = memory.get(results[0]["id"])
    assert set(found) == FIELDS | {"user_id", "actor_id", "role"}
    assert found["id"] == results[0]["id"]
    assert found["memory"] == "I love trams. ¡Olé! 日本"
    assert found["hash"] == hashlib.md5(found["memory"].encode()).hexdigest()
    assert (found["user_id"], found["actor_id"], found["role"]) == (user_id, "ana", "user")
    assert found["metadata"] == {"topic": "traffic"}
    assert datetime.fromisoformat(found["created_at"]) <= datetime.now(UTC)
    assert found["updated_at"] == found["created_at"]


@pytest.mark.parametrize(
    "said",
    [
        "tea",
        {"role": "user", "content": "tea"},
        [{"role": "user", "content": "tea"}],
        [{"role": "user", "content": [{"type": "text", "text": "tea"}, {"type": "image_url", "image_url": {}}]}],
    ],
)
def test_add_takes_texts_and_messages(memory: Any, user_id: str, said: Any) -> None:
    keep(memory, said, user_id=user_id)
    assert texts(memory.get_all(filters={"user_id": user_id})) == ["tea"]


def test_add_refuses_what_it_cannot_store(memory: Any, library: Any, user_id: str) -> None:
    for said, ids in (("tea", {}), (5, {"user_id": user_id})):
        with pytest.raises(library.ValidationError) as raised:
            memory.add(said, infer=False, **ids)
        assert raised.value.error_code in ("VALIDATION_001", "VALIDATION_003")
    with pytest.raises(library.ValidationError):
        memory.add("tea", user_id=user_id, memory_type="other")
    for arguments in ({"user_id": " "}, {"user_id": "a b"}, {"user_id": user_id, "expiration_date": "soon"}):
        with pytest.raises(ValueError, match=r"Invalid user_id|YYYY-MM-DD"):
            memory.add("tea", infer=False, **arguments)
    with pytest.raises(ValueError, match="timestamp"):
        memory.add("tea", user_id=user_id, timestamp=1)


def test_ids_scope_memories(memory: Any, user_id: str) -> None:
    agent, run = f"a-{user_id}", f"r-{user_id}"
    keep(memory, "1", user_id=user_id)
    keep(memory, "2", user_id=user_id, agent_id=agent)
    keep(memory, "3", user_id=user_id, agent_id=agent, run_id=run)
    keep(memory, "4", agent_id=agent)
    keep(memory, "5", run_id=run, metadata={"user_id": user_id})
    keep(memory, "6", user_id=f"{user_id}-other", agent_id=agent)
    for filters, wanted in (
        ({"user_id": user_id}, ["1", "2", "3"]),
        ({"user_id": user_id, "agent_id": agent}, ["2", "3"]),
        ({"user_id": user_id, "run_id": run}, ["3"]),
        ({"agent_id": agent}, ["2", "3", "4", "6"]),
        ({"run_id": run}, ["3", "5"]),
    ):
        assert texts(memory.get_all(filters=filters)) == wanted, filters
        assert texts(memory.search("1 2 3 4 5 6", filters=filters, threshold=0.0)) == wanted, filters
    found = memory.get_all(filters={"user_id": user_id, "run_id": run})["results"][0]
    assert (found["user_id"], found["agent_id"], found["run_id"]) == (user_id, agent, run)
    (found,) = [one for one in memory.get_all(filters={"run_id": run})["results"] if one["memory"] == "5"]
    assert "user_id" not in found


def test_filters_need_an_id(memory: Any, user_id: str) -> None:
    for call in (memory.get_all, lambda **told: memory.search("tea", **told)):
        with pytest.raises(ValueError, match="at least one of"):
            call(filters={"topic": "x"})
        with pytest.raises(ValueError, match="not supported"):
            call(user_id=user_id)
        with pytest.raises(ValueError, match="top_k"):
            call(filters={"user_id": user_id}, top_k=-1)
    for query in ("", "  ", None):
        with pytest.raises(ValueError, match="query"):
            memory.search(query, filters={"user_id": user_id})
    with pytest.raises(ValueError, match="threshold"):
        memory.search("tea", filters={"user_id": user_id}, threshold=2)
    with pytest.raises(ValueError, match="operator"):
        memory.search("tea", filters={"user_id": user_id, "n": {"gt": 1, "almost": 5}})


@pytest.fixture(scope="module")
def shelf(memory: Any) -> str:
    """Return a user with memories of different metadata."""
    owner = f"u-{uuid.uuid4().hex[:12]}"
    for name, told in {
        "1": {"kind": "a", "n": 1, "note": "green tea"},
        "2": {"kind": "a", "n": 10, "done": True},
        "3": {"kind": "b", "n": 5.5, "tags": ["x", "y"]},
        "4": {},
    }.items():
        keep(memory, f"cup {name}", user_id=owner, metadata=told)
    return owner


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ({"kind": "a"}, "12"),
        ({"kind": {"eq": "a"}}, "12"),
        ({"kind": {"ne": "a"}}, "3"),
        ({"n": {"gt": 5}}, "23"),
        ({"n": {"gte": 5.5, "lt": 10}}, "3"),
        ({"n": {"lte": 5.5}, "kind": "a"}, "1"),
        ({"kind": {"in": ["b", "c"]}}, "3"),
        ({"kind": {"nin": ["b", "c"]}}, "12"),
        ({"done": True}, "2"),
        ({"note": {"contains": "green"}}, "1"),
        ({"note": {"icontains": "GREEN"}}, "1"),
        ({"AND": [{"kind": "a"}, {"n": {"gt": 5}}]}, "2"),
        ({"OR": [{"kind": "b"}, {"n": {"lt": 5}}]}, "13"),
        ({"NOT": [{"kind": "a"}]}, "34"),
        ({"NOT": [{"kind": "b"}, {"n": 1}]}, "24"),
        ({"OR": [{"kind": "a"}, {"kind": "b"}], "n": {"gte": 5}}, "23"),
        ({"kind": "z"}, ""),
    ],
)
def test_search_applies_filters(memory: Any, shelf: str, condition: dict[str, Any], wanted: str) -> None:
    found = memory.search("cup", filters={"user_id": shelf, **condition}, threshold=0.0)
    assert "".join(texts(found)).replace("cup ", "") == wanted
    if not {"AND", "OR", "NOT"} & set(condition):
        listed = memory.get_all(filters={"user_id": shelf, **condition})
        assert "".join(texts(listed)).replace("cup ", "") == wanted


def test_filters_apply_before_the_limit(memory: Any, user_id: str) -> None:
    for number in range(30):
        keep(memory, f"tea {number}", user_id=user_id, metadata={"rare": number == 7})
    assert texts(memory.search("tea", filters={"user_id": user_id, "rare": True}, top_k=1, threshold=0.0)) == ["tea 7"]
    assert len(memory.get_all(filters={"user_id": user_id})["results"]) == 20
    assert len(memory.get_all(filters={"user_id": user_id}, top_k=100)["results"]) == 30
    assert "score" not in memory.get_all(filters={"user_id": user_id}, top_k=1)["results"][0]
    assert len(memory.search("tea", filters={"user_id": user_id}, top_k=3, threshold=0.0)["results"]) == 3


def test_search_ranks_by_score(memory: Any, user_id: str) -> None:
    for text in ("My bicycle has a flat tyre.", "I drink green tea from Uji.", "The cat sleeps on the sofa."):
        keep(memory, text, user_id=user_id)
    results = memory.search("Which green tea do I drink?", filters={"user_id": user_id}, threshold=0.0)["results"]
    assert results[0]["memory"] == "I drink green tea from Uji."
    assert set(results[0]) == FIELDS | {"user_id", "role"}
    scores = [found["score"] for found in results]
    assert scores == sorted(scores, reverse=True)
    best = memory.search("Which green tea do I drink?", filters={"user_id": user_id}, threshold=scores[0] - 0.001)
    assert texts(best) == ["I drink green tea from Uji."]


def test_update_changes_text_and_metadata(memory: Any, user_id: str) -> None:
    memory_id = keep(memory, "tea", user_id=user_id, metadata={"topic": "drink", "n": 1})
    before = memory.get(memory_id)
    assert memory.update(memory_id, "coffee") == {"message": "Memory updated successfully!"}
    after = memory.get(memory_id)
    assert (after["id"], after["memory"], after["created_at"]) == (memory_id, "coffee", before["created_at"])
    assert after["hash"] != before["hash"]
    assert after["updated_at"] > before["updated_at"]
    assert after["metadata"] == {"topic": "drink", "n": 1}
    memory.update(memory_id, metadata={"n": 2, "user_id": "other"})
    after = memory.get(memory_id)
    assert (after["memory"], after["metadata"], after["user_id"]) == ("coffee", {"topic": "drink", "n": 2}, user_id)
    assert texts(memory.search("coffee", filters={"user_id": user_id, "n": 2})) == ["coffee"]
    with pytest.raises(ValueError, match="At least one"):
        memory.update(memory_id)
    with pytest.raises(ValueError, match="not found"):
        memory.update(str(uuid.uuid4()), "x")


def test_delete_removes_a_memory(memory: Any, user_id: str) -> None:
    memory_id = keep(memory, "tea", user_id=user_id)
    keep(memory, "trams", user_id=user_id)
    assert memory.delete(memory_id) == {"message": "Memory deleted successfully!"}
    assert memory.get(memory_id) is None
    assert texts(memory.get_all(filters={"user_id": user_id})) == ["trams"]
    assert texts(memory.search("tea", filters={"user_id": user_id}, threshold=0.0)) == ["trams"]
    for unknown in (memory_id, str(uuid.uuid4())):
        with pytest.raises(ValueError, match="not found"):
            memory.delete(unknown)
        assert memory.get(unknown) is None


def test_delete_all_removes_what_is_in_scope(memory: Any, user_id: str) -> None:
    run = f"r-{user_id}"
    for text, ids in (("1", {"user_id": user_id, "run_id": run}), ("2", {"user_id": user_id}), ("3", {"run_id": run})):
        keep(memory, text, **ids)
    assert memory.delete_all(user_id=user_id, run_id=run) == {"message": "Memories deleted successfully!"}
    assert texts(memory.get_all(filters={"user_id": user_id})) == ["2"]
    memory.delete_all(run_id=run)
    memory.delete_all(user_id=user_id)
    memory.delete_all(user_id=user_id)
    assert memory.get_all(filters={"user_id": user_id}) == memory.get_all(filters={"run_id": run}) == {"results": []}
    with pytest.raises(ValueError, match="At least one filter"):
        memory.delete_all()


def test_history_lists_changes(memory: Any, user_id: str, is_reference: bool) -> None:
    memory_id = keep(memory, "tea", user_id=user_id)
    memory.update(memory_id, "coffee")
    changes = memory.history(memory_id)
    assert set(changes[0]) == {
        "id", "memory_id", "old_memory", "new_memory", "event",
        "created_at", "updated_at", "is_deleted", "actor_id", "role",
    }  # fmt: skip
    told = [(one["event"], one["old_memory"], one["new_memory"], one["is_deleted"]) for one in changes]
    assert told == [("ADD", None, "tea", False), ("UPDATE", "tea", "coffee", False)]
    assert {one["memory_id"] for one in changes} == {memory_id}
    memory.delete(memory_id)
    changes = memory.history(memory_id)
    assert [(one["event"], one["is_deleted"]) for one in changes[-3:]] == [
        ("ADD", False), ("UPDATE", False), ("DELETE", True),
    ]  # fmt: skip
    if not is_reference:
        assert "tea" not in json.dumps(changes)
    assert memory.history(str(uuid.uuid4())) == []


def test_expired_memories_are_hidden(memory: Any, user_id: str) -> None:
    old = keep(memory, "old tea", user_id=user_id, expiration_date=day(-1))
    keep(memory, "new tea", user_id=user_id, expiration_date=datetime.now(UTC) + DAY)
    keep(memory, "any tea", user_id=user_id)
    for show, wanted in ((False, ["any tea", "new tea"]), (True, ["any tea", "new tea", "old tea"])):
        assert texts(memory.get_all(filters={"user_id": user_id}, show_expired=show)) == wanted
        found = memory.search("tea", filters={"user_id": user_id}, show_expired=show, threshold=0.0)
        assert texts(found) == wanted
    assert memory.get(old)["expiration_date"] == day(-1)
    memory.update(old, expiration_date=None)
    assert "old tea" in texts(memory.get_all(filters={"user_id": user_id}))
    memory.update(old, expiration_date=day(-1))
    assert "old tea" not in texts(memory.get_all(filters={"user_id": user_id}))


def test_metadata_of_any_form_comes_back(memory: Any, user_id: str) -> None:
    told = {"deep": {"list": [1, {"é": None}]}, "numbers": [1, 2], "text": "日本", "flag": False, "n": 1.5}
    memory_id = keep(memory, "tea", user_id=user_id, metadata=told)
    assert memory.get(memory_id)["metadata"] == told
    assert memory.get_all(filters={"user_id": user_id})["results"][0]["metadata"] == told
    assert memory.search("tea", filters={"user_id": user_id})["results"][0]["metadata"] == told


def test_created_at_of_metadata_is_kept(memory: Any, user_id: str) -> None:
    memory_id = keep(memory, "tea", user_id=user_id, metadata={"created_at": "2024-05-01T10:00:00+00:00"})
    assert memory.get(memory_id)["created_at"] == "2024-05-01T10:00:00+00:00"


def test_add_reads_facts(memory: Any, user_id: str) -> None:
    said = [{"role": "user", "content": "I love hiking in the Alps."}, {"role": "assistant", "content": "Good."}]
    results = memory.add(said, user_id=user_id, run_id="monday", metadata={"topic": "sport"})["results"]
    (result,) = [one for one in results if "hiking" in one["memory"]]
    assert result["event"] == "ADD"
    for found in (
        memory.get(result["id"]),
        memory.search("hiking in the Alps", filters={"user_id": user_id, "topic": "sport"})["results"][0],
        memory.get_all(filters={"user_id": user_id, "run_id": "monday"})["results"][0],
    ):
        assert (found["id"], found["memory"]) == (result["id"], result["memory"])
        assert (found["user_id"], found["run_id"], found["metadata"]["topic"]) == (user_id, "monday", "sport")
    assert [(one["event"], one["new_memory"]) for one in memory.history(result["id"])] == [("ADD", result["memory"])]
    memory.update(result["id"], "I love hiking in the Dolomites.", metadata={"topic": "holiday"})
    found = memory.get(result["id"])
    assert (found["memory"], found["metadata"]["topic"]) == ("I love hiking in the Dolomites.", "holiday")
    assert texts(memory.get_all(filters={"user_id": user_id})) == ["I love hiking in the Dolomites."]
    assert [one["event"] for one in memory.history(result["id"])] == ["ADD", "UPDATE"]
    memory.delete(result["id"])
    assert memory.get(result["id"]) is None
    assert memory.get_all(filters={"user_id": user_id}) == {"results": []}


@beyond_mem0
def test_deleted_fact_is_not_found_again(memory: Any, user_id: str) -> None:
    (result,) = memory.add("I am allergic to nuts.", user_id=user_id, expiration_date=day(1))["results"]
    assert memory.get(result["id"])["expiration_date"] == day(1)
    memory.delete(result["id"])
    assert memory.search("nuts", filters={"user_id": user_id}, threshold=0.0) == {"results": []}
    assert [one["event"] for one in memory.history(result["id"])] == ["ADD", "DELETE"]
    assert "nuts" not in json.dumps(memory.history(result["id"]))


@beyond_mem0
def test_search_returns_the_fact_that_answers(memory: Any, user_id: str) -> None:
    memory.add("I love hiking in the Alps. I live in Porto. I am allergic to nuts.", user_id=user_id)
    memory.add("I play the piano.", user_id=user_id)
    for query, wanted in (
        ("Where do I live?", "Porto"),
        ("Which food must I avoid?", "nuts"),
        ("What do I do outdoors?", "Alps"),
        ("Which instrument do I play?", "piano"),
    ):
        assert wanted in memory.search(query, filters={"user_id": user_id})["results"][0]["memory"], query


@beyond_mem0
def test_message_from_which_nothing_is_read_is_kept(memory: Any, user_id: str) -> None:
    said = ["The wedding of my cousin is on the third of June.", "Where is it?"]
    answer = memory.add([{"role": "user", "content": text} for text in said], user_id=user_id)
    assert said[1] not in texts(answer)
    assert "wedding" in json.dumps(answer)
    assert texts(memory.get_all(filters={"user_id": user_id})) == texts(answer)
    assert "wedding" in json.dumps(memory.search("When is the wedding?", filters={"user_id": user_id}))
    memory.delete_all(user_id=user_id)
    assert memory.get_all(filters={"user_id": user_id}) == {"results": []}


@beyond_mem0
def test_facts_of_other_doors_are_memories(memory: Any, url: str, key: str | None, user_id: str) -> None:
    with Memory(url, key, user_id=user_id) as door:
        door.remember("I am allergic to nuts.")
        assert door.wait(60)
        (found,) = memory.search("nuts", filters={"user_id": user_id})["results"]
        assert found["user_id"] == user_id
        assert memory.get(found["id"])["memory"] == found["memory"]
        keep(memory, "The spare key is under the mat.", user_id=user_id)
        assert door.recall("Where is the spare key?")[0].text == "The spare key is under the mat."
        memory.delete_all(user_id=user_id)
        with pytest.raises(NotFound, match="no user"):
            door.facts()


@beyond_mem0
def test_agents_memories_are_found_among_many_users(memory: Any, user_id: str) -> None:
    agent = f"a-{user_id}"
    for number in range(52):
        metadata = {"n": number}
        memory.add("tea", user_id=f"{user_id}-{number}", agent_id=agent, metadata=metadata, infer=False)
    listed = memory.get_all(filters={"agent_id": agent}, top_k=100)["results"]
    assert [one["metadata"]["n"] for one in listed] == list(range(51, -1, -1))
    found = memory.search("tea", filters={"agent_id": agent, "n": {"in": [0, 51]}}, threshold=0.0)["results"]
    assert sorted(one["metadata"]["n"] for one in found) == [0, 51]
    memory.delete_all(agent_id=agent)
    assert memory.get_all(filters={"agent_id": agent}) == {"results": []}


@beyond_mem0
def test_forgotten_user_leaves_no_history(memory: Any, url: str, key: str | None, user_id: str) -> None:
    deleted = keep(memory, "tea", user_id=user_id)
    memory.delete(deleted)
    assert [one["memory_id"] for one in memory.history(deleted)] == [deleted, deleted]
    with Memory(url, key, user_id=user_id) as door:
        (item,) = door.items.search(["mem0"])
        assert deleted.partition("~")[2] not in f"{item.key} {item.value}"
        door.forget(user=user_id, confirm=user_id)
    assert memory.history(deleted) == []


@beyond_mem0
def test_config_of_mem0_is_accepted(url: str, caplog: pytest.LogCaptureFixture) -> None:
    config = {"llm": {"provider": "openai"}, "version": "v1.1", "mnemoscene": {"url": url, "wait_s": 5}}
    with ours.Memory.from_config(config) as made:
        assert made.get(str(uuid.uuid4())) is None
    assert "llm" in caplog.text
    with pytest.raises(ValueError, match="dict"):
        ours.Memory.from_config([])  # type: ignore[arg-type]


@beyond_mem0
def test_async_memory_has_the_same_methods(url: str, key: str | None, user_id: str) -> None:
    async def run() -> None:
        async with ours.AsyncMemory.from_config({"mnemoscene": {"url": url, "key": key}}) as memory:
            (result,) = (await memory.add("tea", user_id=user_id, infer=False))["results"]
            await memory.update(result["id"], "coffee")
            assert texts(await memory.search("coffee", filters={"user_id": user_id})) == ["coffee"]
            assert texts(await memory.get_all(filters={"user_id": user_id})) == ["coffee"]
            assert [one["event"] for one in await memory.history(result["id"])] == ["ADD", "UPDATE"]
            await memory.delete(result["id"])
            assert await memory.get(result["id"]) is None
            await memory.delete_all(user_id=user_id)

    asyncio.run(run())


@with_mem0
def test_arguments_are_those_of_mem0(library: Any) -> None:
    for kind in ("Memory", "AsyncMemory"):
        theirs, made = getattr(library, kind), getattr(ours, kind)
        for name in ("add", "get", "get_all", "search", "update", "delete", "delete_all", "history", "reset"):
            wanted = {(one.name, one.kind) for one in inspect.signature(getattr(theirs, name)).parameters.values()}
            given = {(one.name, one.kind) for one in inspect.signature(getattr(made, name)).parameters.values()}
            assert {name for name, _ in wanted - given} <= {"self", "llm"}, name


@beyond_mem0
def test_block_of_the_readme_runs(url: str, user_id: str) -> None:
    page = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    (text,) = re.findall(r"^```python\n(from mnemoscene.mem0 .*?)^```$", page, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(text.replace("http://127.0.0.1:7780", url).replace('"ana"', f'"{user_id}"'), names)
    assert "Alps" in names["found"][0]["memory"]


@beyond_mem0
def test_blocks_of_the_page_for_users_of_mem0_run(
    url: str, user_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = {"memory": "I play chess.", "user_id": user_id, "run_id": "r", "metadata": None, "created_at": "2024-05-01"}
    (tmp_path / "mem0.json").write_text(json.dumps({"results": [old]}), "utf-8")
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[3] / "docs" / "mem0.md").read_text("utf-8")
    names: dict[str, Any] = {}
    for text in re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        exec(text.replace("http://127.0.0.1:7780", url).replace('"ana"', f'"{user_id}"'), names)
    assert "nuts" in names["found"][0]["memory"]
    moved = names["memory"].get_all(filters={"user_id": user_id, "run_id": "r"})["results"]
    assert [(one["memory"], one["created_at"]) for one in moved] == [("I play chess.", "2024-05-01")]
