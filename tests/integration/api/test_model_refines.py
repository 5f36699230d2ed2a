"""Test over GraphQL that the local reader reads at once and a model refines, whatever the endpoint does."""

import asyncio
import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from graph_service.graph.store import Graph
from tests.conftest import Server
from tests.support.builders import delete_open_jobs
from tests.support.fake_openai import Reply, fails, says
from tests.support.model_service import CLOSE, REMEMBER, AnsweringEndpoint, ModelService, a_reading, model_service, said
from tests.support.polling import eventually

FACTS = """query ($u: String!) { user(userId: $u) { facts { nodes {
  predicate relation statement object { name } } } } }"""
EVENTS = 'query ($u: String!) { factEvents(userId: $u, sessionId: "s1") { readBy reason } }'
SESSION = 'query ($u: String!) { session(userId: $u, sessionId: "s1") { state } }'
NOTES = """query ($u: String!) {
  recall(userId: $u, query: "What tea do I like?") { notes }
  context(userId: $u, query: "What tea do I like?") { notes } }"""
TEA = "I love jasmine tea."
LIKES_TEA = {"predicate": "PREFERS", "object": "jasmine tea", "statement": "She loves jasmine tea."}


@pytest_asyncio.fixture(autouse=True)
async def no_jobs_of_others(graph: Graph) -> None:
    await delete_open_jobs(graph)


async def facts(api: ModelService, user: str = "alice") -> list[dict[str, Any]]:
    nodes = (await api.ask(FACTS, u=user))["user"]
    return [one for one in nodes["facts"]["nodes"] if one["predicate"] != "MENTIONED"] if nodes else []


async def objects(api: ModelService, user: str = "alice") -> set[tuple[str, str]]:
    return {(one["predicate"], one["object"]["name"]) for one in await facts(api, user)}


async def read_by(api: ModelService, user: str = "alice") -> set[str]:
    return {event["readBy"] for event in (await api.ask(EVENTS, u=user))["factEvents"]}


async def store(api: ModelService, *texts: str, user: str = "alice") -> None:
    messages = [said(text, f"2026-03-04T12:0{minute}:00Z") for minute, text in enumerate(texts)]
    await api.ask(REMEMBER, i={"userId": user, "sessionId": "s1", "messages": messages})
    await api.ask(CLOSE, u=user, s="s1")


async def closed(api: ModelService, user: str = "alice") -> bool:
    return bool((await api.ask(SESSION, u=user))["session"]["state"] == "CLOSED")


@pytest.mark.parametrize(
    ("reply", "word"),
    [
        (fails(500), "failing (500)"),
        (fails(429, Retry_After="600"), "busy or failing (429)"),
        (fails(401), "refused the API key"),
        (None, "did not answer in time"),
    ],
)
async def test_a_model_that_is_away_costs_nothing_but_its_refinement(
    server: Server, tmp_path: Path, tenant: str, reply: Reply | None, word: str
) -> None:
    """The facts stand, the session closes, and `/ready`, recall and context say that the model is away."""
    held = threading.Event()
    hanging = replace(says("late"), waits_for=held)
    with AnsweringEndpoint(lambda _prompt: reply or hanging) as model:
        async with model_service(server, tmp_path, tenant, model, MNEMOSCENE_LLM_TIMEOUT_S="1") as api:
            try:
                await store(api, TEA)
                await eventually(lambda: closed(api), within_s=180)
                assert await objects(api) == {("PREFERS", "jasmine tea")}
                await eventually(lambda: says_problem(api, word))
                asked = await api.ask(NOTES, u="alice")
                for name in ("recall", "context"):
                    assert any(word in note and "built-in reader" in note for note in asked[name]["notes"])
            finally:
                held.set()


async def says_problem(api: ModelService, word: str) -> bool:
    state = json.loads(await api.text("/ready"))
    return bool(state["ready"] and state["degraded"] and word in (state["model_problem"] or ""))


async def test_facts_stand_while_the_model_thinks_and_its_answer_replaces_them(
    server: Server, tmp_path: Path, tenant: str
) -> None:
    """Confirmed: the tea. Withdrawn: the boat that only the local reader found. Added: the cat."""
    held, asked = threading.Event(), threading.Event()
    cat = {"predicate": "RELATES_TO", "relation": "pet", "object": "Momo", "statement": "Her cat is Momo."}
    answer = a_reading({**LIKES_TEA, "quote": "love jasmine tea"}, {**cat, "messages": ["m3"], "quote": "Momo"})

    def late(_prompt: str) -> Reply:
        asked.set()
        return replace(says(answer), waits_for=held)

    with AnsweringEndpoint(late) as model:
        async with model_service(server, tmp_path, tenant, model) as api:
            try:
                await store(api, TEA, "I love sailing boats.", "Momo was asleep on my lap, that lazy cat.")
                await eventually(lambda: closed(api), within_s=180)
                assert await asyncio.to_thread(asked.wait, 30)
                before = await facts(api)
                assert {one["object"]["name"] for one in before} >= {"jasmine tea", "sailing boats"}
                assert await read_by(api) == {"rules"}
                held.set()
                await eventually(lambda: is_read_by_model(api))
                after = {one["object"]["name"]: one["statement"] for one in await facts(api)}
                assert set(after) == {"jasmine tea", "Momo"}
                assert after["jasmine tea"] == "She loves jasmine tea."
                reasons = [event["reason"] for event in (await api.ask(EVENTS, u="alice"))["factEvents"]]
                assert any("only the local reader found it" in reason for reason in reasons)
            finally:
                held.set()


async def is_read_by_model(api: ModelService) -> bool:
    return await read_by(api) == {"first"}


LOCAL = {("PREFERS", "jasmine tea")}
TEA_BY_MODEL = '{"facts": [{"subject": "user", "predicate": "PREFERS", "object": "jasmine tea", "messages": ["m1"]'
ODD_ANSWERS = {
    "one object for the list": (TEA_BY_MODEL.replace("[{", "{", 1) + "}}", {"first"}),
    "number as id": (TEA_BY_MODEL.replace('["m1"]', "[1]") + "}]}", {"first"}),
    "no ids": (TEA_BY_MODEL.replace('["m1"]', "[]") + "}]}", {"first"}),
    "id in words": (TEA_BY_MODEL.replace('["m1"]', '"message 1"') + "}]}", {"first"}),
    "likes": (TEA_BY_MODEL.replace("PREFERS", "likes") + "}]}", {"first"}),
    "attributes as an object": (
        TEA_BY_MODEL + '}], "entities": [{"name": "jasmine tea", "attributes": {"size": 3}}]}',
        {"first"},
    ),
    "no title beside a wrong fact": (TEA_BY_MODEL + '}, {"subject": "user"}, 7]}', {"first"}),
    "a list": (TEA_BY_MODEL.removeprefix('{"facts": ') + "}]", {"first"}),
    "thinking": ("<think>\nPerhaps {}?\n</think>\n```json\n" + TEA_BY_MODEL + "}]}\n```", {"first"}),
    "half": (TEA_BY_MODEL + '}, {"subject": "user", "pred', {"first"}),
    "nothing": ('{"title": "Tea", "summary": "About tea.", "facts": []}', {"rules"}),
    "empty object": ("{}", {"rules"}),
    "ungrounded": (
        '{"facts": [{"subject": "user", "predicate": "PREFERS", "object": "opera", "messages": ["m1"]}]}',
        {"rules"},
    ),
}


async def test_slightly_wrong_answers_are_read_for_what_they_hold(server: Server, tmp_path: Path, tenant: str) -> None:
    """And one that holds nothing, or nothing of the text, withdraws nothing."""
    numbers = {name: f"u{number}" for number, name in enumerate(ODD_ANSWERS)}
    texts = {f"My desk has the number {user}.": ODD_ANSWERS[name][0] for name, user in numbers.items()}
    nothing = '{"verdicts": []}'
    with AnsweringEndpoint(
        lambda prompt: next((text for key, text in texts.items() if key in prompt), nothing)
    ) as model:
        async with model_service(server, tmp_path, tenant, model) as api:
            for user in numbers.values():
                await store(api, TEA, f"My desk has the number {user}.", user=user)
            async with asyncio.timeout(120):
                await api.service.parts.worker.drain()
            for name, user in numbers.items():
                found = await facts(api, user)
                assert {(one["predicate"], one["object"]["name"]) for one in found} >= LOCAL, name
                assert await read_by(api, user) == ODD_ANSWERS[name][1], name
    assert model.errors == []
