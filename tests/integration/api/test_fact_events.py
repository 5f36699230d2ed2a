"""Test what callers see of a model that compares facts: judged by default, with an event and a reason for each fact."""

import json
from pathlib import Path

import pytest_asyncio

from graph_service.graph.store import Graph
from tests.conftest import Server
from tests.support.builders import delete_open_jobs
from tests.support.model_service import AnsweringEndpoint, ModelService, a_reading, model_service, said

EVENTS = """query ($s: String!) { factEvents(userId: "alice", sessionId: $s) {
  kind reason factId knownId messageIds readBy } }"""
FACTS = '{ recall(userId: "alice", query: "dog marathon tea", kinds: [FACT]) { hits { id text overtakenBy } } }'


@pytest_asyncio.fixture(autouse=True)
async def no_jobs_of_others(graph: Graph) -> None:
    await delete_open_jobs(graph)


def about(statement: str, obj: str, **more: object) -> dict[str, object]:
    return {"predicate": "CARES_ABOUT", "relation": "plan", "object": obj, "statement": statement, **more}


READINGS = {
    "First": a_reading(
        about("Alice plans to run a marathon.", "run a marathon"),
        about("Alice plans to get a dog.", "get a dog"),
        about("Alice plans to paint the kitchen.", "paint the kitchen"),
    ),
    "Second": a_reading(
        about("Alice plans a 42 km race run.", "a 42 km race run"),
        about("Alice plans to call a dog Rex.", "get a dog", relation="wish"),
        about("Alice plans to sell the kitchen.", "sell the kitchen"),
        about("Alice plans a nap.", "nap", importance="low"),
        about("Alice plans to learn Dutch.", "learn Dutch"),
    ),
}


def verdicts_on(prompt: str) -> str:
    """Compare by statement, as the prompt lists new and known facts under temporary ids."""
    pairs = {"42 km": ("same", "marathon"), "Rex": ("completes", "a dog"), "sell": ("replaces", "paint")}
    told = []
    for line in prompt.splitlines():
        new = json.loads(line) if line.startswith('{"id": "n') else None
        for word, (verdict, known) in pairs.items() if new else ():
            if word in new["statement"]:
                named = next((one["id"] for one in new["known"] if known in one["statement"]), None)
                joined = "Alice plans to get a dog and to call it Rex." if verdict == "completes" else None
                told.append({"fact": new["id"], "verdict": verdict, "known": named, "statement": joined})
    return json.dumps({"verdicts": told})


def answer(prompt: str) -> str:
    if "compare new facts" in prompt:
        return verdicts_on(prompt)
    # The prompt of the second scene also shows the first.
    return READINGS["Second" if "Second" in prompt else "First"]


async def test_each_fact_has_an_event_with_its_reason(server: Server, tmp_path: Path, tenant: str) -> None:
    """ADD, MERGE, UPDATE and IGNORE, with a model and no other setting."""
    with AnsweringEndpoint(answer) as model:
        async with model_service(server, tmp_path, tenant, model) as api:
            await api.remember(said("First: run a marathon; get a dog; paint the kitchen."), session="s1")
            first = (await api.ask(EVENTS, s="s1"))["factEvents"]
            assert [(one["kind"], one["readBy"], len(one["messageIds"])) for one in first] == [("ADD", "first", 1)] * 3
            await api.remember(
                said(
                    "Second: a 42 km race run; get a dog; sell the kitchen; nap; learn Dutch.",
                    "2026-03-06T12:00:00Z",
                ),
                session="s2",
            )
            second = (await api.ask(EVENTS, s="s2"))["factEvents"]
            hits = {hit["id"]: hit for hit in (await api.ask(FACTS))["recall"]["hits"]}
            (dog,) = [name for name, hit in hits.items() if "call it Rex" in hit["text"]]
            told = (await api.ask("query ($id: String!) { factHistory(id: $id) { statement } }", id=dog))["factHistory"]
            stranger = ModelService(api.service, f"{tenant}-2")
            assert (await stranger.ask(EVENTS, s="s1"))["factEvents"] == []
    asked = [one for one in model.requests if "compare new facts" in json.dumps(one)]
    assert len(asked) == 1
    assert tenant not in json.dumps(asked)
    by_kind: dict[str, list[str]] = {}
    for event in second:
        by_kind.setdefault(event["kind"], []).append(event["reason"])
    assert sorted(by_kind) == ["ADD", "IGNORE", "MERGE", "UPDATE"]
    assert by_kind["IGNORE"] == ["not important enough"]
    assert sorted(by_kind["MERGE"]) == [
        "the model joined it with a known fact that it completes",
        "the model says that a known fact says the same",
    ]
    known = {event["factId"] for event in first}
    assert {event["factId"] for event in second if event["kind"] == "MERGE"} <= known
    assert all(event["knownId"] == event["factId"] for event in second if event["kind"] in ("MERGE", "IGNORE"))
    (update,) = [event for event in second if event["kind"] == "UPDATE"]
    assert update["knownId"] in known
    assert [one["statement"] for one in told][-1] == "Alice plans to get a dog and to call it Rex."
    assert len(told) > 1


async def test_without_a_model_the_rules_decide_and_say_why(server: Server, tmp_path: Path, tenant: str) -> None:
    with AnsweringEndpoint(answer) as model:
        async with model_service(server, tmp_path, tenant, model, LLM_MODEL="") as api:
            await api.remember(said("I live in Lisbon. I love jasmine tea."), session="s1")
            await api.remember(said("I moved to Porto. I love jasmine tea.", "2026-03-06T12:00:00Z"), session="s2")
            events = (await api.ask(EVENTS, s="s2"))["factEvents"]
    assert model.requests == []
    assert {"MERGE", "UPDATE"} <= {event["kind"] for event in events}
    assert {event["readBy"] for event in events} == {"rules"}
