"""Test the details of a fact in the browser: history, causes, both times, Cypher, link."""

import json
import re
from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from neo4j import AsyncGraphDatabase
from playwright.async_api import Browser, expect

from tests.conftest import Server
from tests.support.slow import slow_but
from tests.viewer.watching import REMEMBER, WAIT_MS, Watching, ann_told

# A database may be used again, and facts that are told twice have two messages.
_TENANT = f"behind-a-fact-{uuid4().hex[:8]}"
_TOLD = (
    ("2024-01-10T12:00:00Z", "I live in Berlin."),
    ("2024-06-01T12:00:00Z", "My headaches are caused by stress. Stress comes from deadlines."),
    ("2025-03-01T12:00:00Z", "I moved to Lisbon. I live in Lisbon now."),
)


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def viewer(browser: Browser, address: str) -> AsyncIterator[Watching]:
    """Open a page on a memory with a move and a chain of causes."""
    await ann_told(address, _TENANT, _TOLD, until_found=("Berlin", "stress", "Lisbon"))
    async with Watching.page_of(browser, address, _TENANT) as watching:
        await watching.page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
        yield watching


async def _edge(viewer: Watching, predicate: str, label: str) -> str:
    async with httpx.AsyncClient(timeout=60, headers={"Mnemoscene-Tenant": _TENANT}) as client:
        snapshot = (await client.get(f"{viewer.address}/api/snapshot")).json()
    names = {node["id"]: node["label"] for node in snapshot["nodes"]}
    found = (
        edge["id"] for edge in snapshot["edges"] if edge["predicate"] == predicate and label in names[edge["target"]]
    )
    return next(found)


async def test_fact_shows_both_times_its_quote_and_its_successor(viewer: Watching) -> None:
    berlin = await _edge(viewer, "RELATES_TO", "Berlin")
    await viewer.open(f"#/map?sel={berlin}")
    panel = viewer.page.locator("[data-panel]")
    await panel.locator("[data-history] li").nth(1).wait_for()
    said = await panel.inner_text()
    for words in (
        "Told on",
        "End told on",
        "True until",
        "When it was true",
        "When it was learned",
        "Replaced by a newer fact",
    ):
        assert words.lower() in said.lower(), words
    assert await panel.locator("mark").first.inner_text() == "I live in Berlin."
    await panel.locator("[data-history] button:not([disabled])").first.click()
    await viewer.until(f"window.__mnemoscene.selection !== {json.dumps(berlin)}")
    assert "Lisbon" in await panel.locator("h2").inner_text()


async def test_long_message_is_quoted_around_its_marked_sentence(viewer: Watching) -> None:
    filler = "The road was long and the sky was grey. " * 40
    text = f"{filler}I love saffron rice. {filler}".strip()
    assert len(text) > 3_000
    await Watching.told(viewer.address, _TENANT, text, session="long", user="ann", name="Ann")
    await Watching.found(viewer.address, _TENANT, "saffron rice")
    await viewer.open(f"#/map?sel={await _edge(viewer, 'PREFERS', 'saffron')}")
    quote = viewer.page.locator("[data-panel] figure").first
    await expect(quote.locator("mark")).to_have_text("I love saffron rice.", timeout=WAIT_MS)
    await expect(quote.locator("mark")).to_be_in_viewport()
    said = await quote.locator("blockquote").inner_text()
    assert len(said) < 600
    assert re.match(r"… \w", said)
    assert said.endswith(" …")
    await quote.locator('[data-act="whole"]').click()
    assert await quote.locator("blockquote").inner_text() == text


async def test_causes_are_shown_to_the_last_one_and_link_to_it(viewer: Watching) -> None:
    headaches = await Watching.found(viewer.address, _TENANT, "headache")
    await viewer.open(f"#/list?sel={headaches}")
    chain = viewer.page.locator("[data-why] li").first
    await chain.wait_for()
    assert "stress" in await chain.inner_text()
    assert "deadlines" in await chain.inner_text()
    await chain.locator("button", has_text="deadlines").click()
    await viewer.until(f"window.__mnemoscene.selection !== {json.dumps(headaches)}")


async def test_decision_shows_its_reason_emotion_and_time_and_a_procedure_its_steps(viewer: Watching) -> None:
    decision = {
        "subject": "user",
        "predicate": "CARES_ABOUT",
        "object": "early nights",
        "objectType": "topic",
        "statement": "Ann decided to go to bed at ten.",
        "kind": "DECISION",
        "rationale": "She was tired every morning.",
        "triggerEmotion": "relief",
        "mentionedStart": "2026-04-01T00:00:00Z",
        "mentionedEnd": "2026-05-01T00:00:00Z",
    }
    procedure = {
        "subject": "user",
        "predicate": "RELATES_TO",
        "relation": "makes",
        "object": "filter coffee",
        "statement": "Ann makes filter coffee.",
        "kind": "PROCEDURE",
        "steps": ["boil water → 93 °C", "pour slowly → it blooms"],
    }
    text = "From April on I go to bed at ten. This is how I make coffee."
    message = {"role": "USER", "text": text, "tags": ["Health", "咖啡"]}
    call = {"userId": "ann", "sessionId": "decided", "userName": "Ann", "messages": [message]}
    body = {"query": REMEMBER, "variables": {"input": {**call, "facts": [decision, procedure]}}}
    async with httpx.AsyncClient(timeout=60, headers={"Mnemoscene-Tenant": _TENANT}) as client:
        answer = await client.post(f"{viewer.address}/graphql", json=body)
    assert "errors" not in answer.json(), answer.text
    nights = await Watching.found(viewer.address, _TENANT, "early nights")
    panel = viewer.page.locator("[data-panel]")
    await viewer.open(f"#/map?sel={await _edge(viewer, 'CARES_ABOUT', 'early nights')}")
    await expect(panel.locator("[data-rationale]")).to_contain_text("tired every morning", timeout=WAIT_MS)
    await expect(panel).to_contain_text("relief")
    await expect(panel.locator("[data-tags]")).to_have_text("Tags health · 咖啡")
    await expect(panel.locator("figure [data-tag]")).to_have_text(["health", "咖啡"])
    await expect(panel).to_contain_text(re.compile(r"Time it is about\s*1 Apr 2026 – \d+ (Apr|May) 2026"))
    await viewer.open(f"#/map?sel={await _edge(viewer, 'RELATES_TO', 'filter coffee')}")
    await expect(panel.locator("[data-steps] li")).to_have_text(["boil water → 93 °C", "pour slowly → it blooms"])
    # A thing has its type, and each of its facts the day and the strength in numbers beside the bar.
    await viewer.open(f"#/map?sel={nights}")
    await expect(panel.locator(".kind")).to_have_text("Topic")
    row = panel.locator("[data-fact]").first
    await expect(row).to_contain_text("Ann", timeout=WAIT_MS)
    await expect(row).to_contain_text(re.compile(r"\d{1,2} [A-Z][a-z]+ 20\d\d"))
    await expect(row.locator(".strength")).to_have_text(re.compile(r"\d+%"))


@pytest.mark.parametrize("chosen", slow_but(["fact"], ["fact", "thing"]))
async def test_copied_cypher_finds_the_selected_element(viewer: Watching, server: Server, chosen: str) -> None:
    if chosen == "fact":
        element = await _edge(viewer, "RELATES_TO", "Lisbon")
    else:
        element = await Watching.found(viewer.address, _TENANT, "Lisbon")
    await viewer.open(f"#/map?sel={element}")
    await viewer.page.locator('[data-act="cypher"]').click()
    await viewer.page.locator('[data-act="cypher"]', has_text="Copied").wait_for()
    copied = await viewer.page.evaluate("navigator.clipboard.readText()")
    async with AsyncGraphDatabase.driver(server.uri, auth=(server.user, server.password)) as driver:
        found = await driver.execute_query(copied)
    (row,) = found.records
    assert row[chosen]["id"] == element


async def test_link_to_a_fact_that_is_not_loaded_loads_it(viewer: Watching) -> None:
    lisbon = await _edge(viewer, "RELATES_TO", "Lisbon")
    await viewer.open(f"#/map?user=nobody&sel={lisbon}")
    await viewer.until("document.querySelector('[data-panel] h2')?.innerText.includes('Lisbon')")
    await viewer.page.locator('[data-act="link"]').click()
    await viewer.page.locator('[data-act="link"]', has_text="Copied").wait_for()
    assert f"sel={lisbon}" in await viewer.page.evaluate("navigator.clipboard.readText()")
