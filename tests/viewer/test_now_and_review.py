"""Test two panels in the browser: what agents ask and recall at this moment, and today's cards to review."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from extraction.llm.reader_chain import model_chain
from extraction.openai_api.endpoint import Endpoint
from extraction.openai_api.language_model import OpenAIModel
from graph_service.auth.quarantine import QuarantineMode
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.readers import Readers
from graph_service.memory.ingest.validation import provided_fact
from graph_service.memory.recall.query import HitKind
from graph_service.memory.recall.question_log import AskedQuestion, Asker, Door, FoundElement, QuestionKind
from schema.errors import QuarantinedError
from schema.ids import TenantId
from tests.conftest import Server
from tests.support.builders import a_worker, an_incoming, delete_open_jobs
from tests.support.fake_openai import FakeOpenAI, says
from tests.support.open_service import OpenService, open_service
from tests.support.polling import until
from tests.support.readers import read_with_tags
from tests.support.tcp_proxy import tcp_proxy
from tests.viewer.watching import LOOKS_MAX, WAIT_MS, Watching

_SAID = ("I love jasmine tea.", "I hate coriander.", "I love mountains.", "I really do love 弹钢琴.")
_RECALL = (
    'query($q: String!) { recall(userId: "alice", query: $q, kinds: [FACT]) { degraded hits { id score confidence } } }'
)


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(server: Server, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenService]:
    folder: Path = tmp_path_factory.mktemp("service")
    async with open_service(server, folder, {"MNEMOSCENE_EMBEDDING_KIND": "none"}) as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def viewer(browser: Browser, service: OpenService) -> AsyncIterator[Watching]:
    """Open a page of a fresh tenant with a few facts."""
    tenant = f"panels-{uuid4().hex[:8]}"
    await service.parts.memory.remember(TenantId(tenant), an_incoming(*_SAID, user_name="Alice"))
    for label in ("jasmine tea", "coriander", "mountains", "弹钢琴"):
        await Watching.found(service.http, tenant, label)
    async with Watching.page_of(browser, service.http, tenant) as watching:
        yield watching


async def asked(service: OpenService, viewer: Watching, text: str) -> list[dict[str, Any]]:
    """Ask as an agent does over GraphQL, and return the hits.

    An answer without the database, which plans its first question for seconds, is not shown to viewers.
    """
    async with service.client(None, **{"Mnemoscene-Tenant": viewer.tenant}) as client:
        for _ in range(LOOKS_MAX):
            answer = (await client.post("/graphql", json={"query": _RECALL, "variables": {"q": text}})).json()
            if not answer["data"]["recall"]["degraded"]:
                return list(answer["data"]["recall"]["hits"])
    raise AssertionError("every answer was without the database")


async def facts_by_object(viewer: Watching) -> dict[str, dict[str, Any]]:
    """Return the facts of the snapshot by the name of their object."""
    snapshot = await viewer.page.evaluate(
        f"fetch('api/snapshot', {{headers: {{'Mnemoscene-Tenant': {json.dumps(viewer.tenant)}}}}})"
        ".then((answer) => answer.json())"
    )
    names = {node["id"]: node["label"] for node in snapshot["nodes"]}
    return {names[edge["target"]]: edge for edge in snapshot["edges"] if edge["predicate"] != "MENTIONED"}


async def test_agents_questions_appear_and_light_up_what_they_recalled(service: OpenService, viewer: Watching) -> None:
    page = viewer.page
    await viewer.open("#/map?side=now")
    await expect(page.locator("[data-no-questions]")).to_be_visible(timeout=WAIT_MS)
    # The conversation, with what each message made.
    tea = (await facts_by_object(viewer))["jasmine tea"]["id"]
    await expect(page.locator(f'[data-made="{tea}"]')).to_be_visible(timeout=WAIT_MS)
    assert set(await page.locator("[data-author]").all_inner_texts()) == {"Alice"}
    hits = await asked(service, viewer, "What does Alice love, jasmine tea?")
    assert hits[0]["id"] == tea
    question = page.locator("[data-question]").filter(has_text="jasmine tea?")
    await expect(question).to_be_visible(timeout=WAIT_MS)
    listed = question.locator("[data-hit]")
    await expect(listed).to_have_count(len(hits), timeout=WAIT_MS)
    assert await listed.evaluate_all("(all) => all.map((one) => one.dataset.hit)") == [hit["id"] for hit in hits]
    lit = await viewer.probe("recalled()")
    assert lit[tea] == 1
    # The longest bar is as long as the answer is probable.
    sure = re.search(r"(\d+)%", await question.get_by_text("Probability").inner_text())
    assert sure is not None
    width = await question.locator("[data-hit] .bar i").first.evaluate("(one) => one.style.width")
    assert width == f"{sure[1]}%"
    # What arrives meanwhile is not dimmed with what the question left out.
    await viewer.until("!window.__mnemoscene.bright('s:alice')")
    await viewer.say("I love almond cake.", session="later")
    cake = json.dumps(await Watching.found(viewer.address, viewer.tenant, "almond cake"))
    await viewer.until(f"window.__mnemoscene.bright({cake})")
    assert await viewer.probe("recalled()") == lit
    # An earlier question lights up again, and a second click ends that.
    hits = await asked(service, viewer, "Does she hate coriander?")
    coriander = (await facts_by_object(viewer))["coriander"]["id"]
    await viewer.until(f"window.__mnemoscene.recalled()[{json.dumps(coriander)}] === 1")
    await question.locator("button.ask").click()
    await viewer.until(f"window.__mnemoscene.recalled()[{json.dumps(tea)}] === 1")
    await question.locator("button.ask").click()
    await viewer.until("Object.keys(window.__mnemoscene.recalled()).length === 0")


@pytest.mark.slow
async def test_last_hundred_questions_of_a_memory_are_kept_and_can_be_replayed(
    service: OpenService, viewer: Watching
) -> None:
    tea = (await asked(service, viewer, "What does Alice love, jasmine tea?"))[0]["id"]
    log, hit = service.parts.memory.questions, FoundElement(kind=HitKind.FACT, id=tea, score=0.5)
    for tenant, count in ((f"{viewer.tenant}-other", 1), (viewer.tenant, 100)):
        for number in range(count):
            question = AskedQuestion(
                tenant=TenantId(tenant),
                user_id="alice",
                text=f"Question {number} of {tenant}",
                kind=QuestionKind.RECALL,
                asker=Asker(door=Door.COMMAND),
                asked_at=datetime.now(UTC),
                hits=(hit,),
                found_n=1,
            )
            log.note(question, generation=log.generation(question.tenant))
    # The page opens after they were asked.
    await viewer.open("#/map?side=now")
    listed = viewer.page.locator("[data-question]")
    await expect(listed).to_have_count(100, timeout=WAIT_MS)
    texts = await listed.locator(".text").all_inner_texts()
    assert texts == [f"Question {number} of {viewer.tenant}" for number in reversed(range(100))]
    await listed.last.locator("button.ask").click()
    await viewer.until(f"window.__mnemoscene.recalled()[{json.dumps(tea)}] === 1")
    await expect(listed.last.locator("[data-hit]")).to_have_attribute("data-hit", tea)


async def test_phone_shows_on_the_map_what_a_question_recalled(service: OpenService, viewer: Watching) -> None:
    page = viewer.page
    await page.set_viewport_size({"width": 390, "height": 844})
    await viewer.open("#/map?side=now")
    await expect(page.locator("[data-message]").first).to_be_visible(timeout=WAIT_MS)
    hits = await asked(service, viewer, "What does Alice love, jasmine tea and mountains?")
    assert len(hits) >= 2
    in_sight = """Object.keys(window.__mnemoscene.recalled()).every((id) => {
      const at = window.__mnemoscene.onPage(id);
      return at && document.elementFromPoint(at.x, at.y)?.closest('.map');
    })"""
    await viewer.until(f"Object.keys(window.__mnemoscene.recalled()).length >= 3 && {in_sight}")
    # A hit that is looked at alone leaves the others where they are found again.
    await page.locator("[data-hit]").first.click()
    await viewer.until("window.__mnemoscene.selection !== null")
    for _ in range(4):
        await page.evaluate("document.querySelector('.map').focus()")
        await page.keyboard.press("+")
    await page.keyboard.press("Escape")
    await viewer.until(f"window.__mnemoscene.selection === null && {in_sight}")
    question = await page.locator("[data-question]").first.bounding_box()
    assert question is not None
    assert question["y"] < 844 - 100, "the question is in sight, too"
    # A smaller window keeps it in sight; hints would take the room, and wait until the panel is closed.
    hints = page.locator("[data-hints]")
    await expect(hints).to_be_hidden()
    await page.set_viewport_size({"width": 360, "height": 640})
    await viewer.until(in_sight)
    await page.keyboard.press("Escape")
    await viewer.until("Object.keys(window.__mnemoscene.recalled()).length === 0")
    await page.keyboard.press("Escape")
    await expect(hints).to_be_visible(timeout=WAIT_MS)


def _refuses_writes(address: str, tenant: str) -> bool:
    """Return whether the service at this address knows that the writes of a tenant are stopped."""
    body, headers = {"query": 'mutation { confirmFact(id: "none") { __typename } }'}, {"Mnemoscene-Tenant": tenant}
    answer = httpx.post(f"{address}/graphql", json=body, headers=headers, timeout=60).json()
    return bool(answer["errors"][0]["extensions"]["code"] == QuarantinedError.code)


# Collects what the summary and the cards of the page have said, in each of its states.
_WATCH_SUMMARY = """
  window.__summaries = [];
  new MutationObserver(() => {
    for (const one of document.querySelectorAll(".line, main")) window.__summaries.push(one.innerText);
  }).observe(document, { childList: true, subtree: true, characterData: true });
"""


async def test_memory_that_is_being_read_says_so(service: OpenService, address: str, browser: Browser) -> None:
    tenant, quarantine = TenantId(f"reading-{uuid4().hex[:8]}"), service.parts.quarantine
    # Nothing is read in a tenant whose writes are stopped; the service of all viewer tests reads for all tenants.
    await quarantine.begin(tenant, QuarantineMode.READ_ONLY, "a slow reading")
    await asyncio.to_thread(until, lambda: _refuses_writes(address, str(tenant)))
    await service.parts.memory.remember(tenant, an_incoming(*_SAID, user_name="Alice"))
    async with Watching.page_of(browser, service.http, str(tenant)) as viewer:
        page, said = viewer.page, viewer.page.locator("[data-reading]:visible")
        await page.add_init_script(_WATCH_SUMMARY)
        await viewer.open("#/map")
        await expect(said).to_have_text("4 messages stored, extracting facts …", timeout=WAIT_MS)
        # Not even while the page asks what is stored.
        assert (
            await page.evaluate("window.__summaries.filter((text) => /Remembers|remembers nothing/.test(text))") == []
        )
        await page.evaluate("localStorage.setItem('mnemoscene:lang', 'zh')")
        await page.set_viewport_size({"width": 390, "height": 844})
        await viewer.open("#/map")
        await expect(said).to_have_text("已保存 4 条消息，正在提取事实……", timeout=WAIT_MS)
        await page.set_viewport_size({"width": 1280, "height": 800})
        await quarantine.end(tenant)
        service.parts.worker.wake()
        await expect(page.locator(".line .whole")).to_have_text("记得 4 件事", timeout=WAIT_MS)


@pytest.mark.slow
async def test_messages_that_nobody_reads_without_a_request_are_called_stored(
    server: Server, service: OpenService, address: str, browser: Browser, tmp_path: Path
) -> None:
    tenant, quarantine = TenantId(f"stored-{uuid4().hex[:8]}"), service.parts.quarantine
    # The services of the other viewer tests would read them.
    await quarantine.begin(tenant, QuarantineMode.READ_ONLY, "nobody reads")
    await asyncio.to_thread(until, lambda: _refuses_writes(address, str(tenant)))
    await service.parts.memory.remember(tenant, an_incoming(*_SAID, user_name="Alice"))
    environ = {"MNEMOSCENE_EMBEDDING_KIND": "none", "MNEMOSCENE_AUTOMATION_AUTO_EXTRACT": "false"}
    async with (
        open_service(server, tmp_path, environ) as waiting,
        Watching.page_of(browser, waiting.http, str(tenant)) as viewer,
    ):
        said = viewer.page.locator("[data-reading]:visible")
        await viewer.open("#/map")
        await expect(said).to_have_text("4 messages stored; facts are extracted on request", timeout=WAIT_MS)
        await viewer.page.evaluate("localStorage.setItem('mnemoscene:lang', 'zh')")
        await viewer.open("#/map")
        await expect(said).to_have_text("已保存 4 条消息；收到请求后才提取事实", timeout=WAIT_MS)


@pytest.mark.slow
async def test_page_of_a_quarantined_memory_says_if_the_service_goes_away(
    service: OpenService, viewer: Watching, browser: Browser
) -> None:
    tenant, port = TenantId(viewer.tenant), int(service.http.rpartition(":")[2])
    async with (
        tcp_proxy(port) as cable,
        Watching.page_of(browser, f"http://127.0.0.1:{cable.port}", viewer.tenant) as watching,
    ):
        page, footer = watching.page, watching.page.locator("footer")
        await watching.open("#/map")
        # The browser has a copy of the map, which nobody may see now.
        await expect(page.locator("[data-kept]")).to_be_visible(timeout=WAIT_MS)
        await service.parts.quarantine.begin(tenant, QuarantineMode.CLOSED, "a key leaked")
        card = page.locator("[data-quarantine]")
        await expect(card).to_be_visible(timeout=WAIT_MS)
        await cable.cut()
        await expect(footer).to_contain_text("Connection lost", timeout=WAIT_MS)
        await expect(card).to_have_count(0)
        await expect(page.get_by_text("This browser has no saved copy of this map")).to_be_visible(timeout=WAIT_MS)
        await cable.mend(port)
        await expect(card).to_be_visible(timeout=WAIT_MS)
        await service.parts.quarantine.end(tenant)
        await watching.until("window.__mnemoscene.state === 'live' && window.__mnemoscene.counts.nodes > 3")


async def test_quarantined_memory_says_so_and_comes_back(service: OpenService, viewer: Watching) -> None:
    page, quarantine = viewer.page, service.parts.quarantine
    await viewer.open("#/map")
    await viewer.until("window.__mnemoscene.counts.nodes > 3")
    await quarantine.begin(TenantId(viewer.tenant), QuarantineMode.CLOSED, "a key leaked")
    card = page.locator("[data-quarantine]")
    await expect(card).to_contain_text("This memory is in quarantine", timeout=WAIT_MS)
    assert (await viewer.probe("counts"))["held"] == {"nodes": 0, "edges": 0}
    await viewer.until("Object.keys(window.__mnemoscene.positions()).length === 0")
    assert "jasmine" not in await page.inner_text("body")
    await page.reload()
    await expect(card).to_be_visible(timeout=WAIT_MS)
    await expect(page.locator("footer")).to_contain_text("in quarantine")
    await quarantine.end(TenantId(viewer.tenant))
    await viewer.until("window.__mnemoscene.state === 'live' && window.__mnemoscene.counts.nodes > 3")
    await expect(card).to_have_count(0)


async def test_thing_shows_its_other_names_and_attributes(
    service: OpenService, address: str, browser: Browser, graph: Graph
) -> None:
    tenant, quarantine = TenantId(f"details-{uuid4().hex[:8]}"), service.parts.quarantine
    await quarantine.begin(tenant, QuarantineMode.READ_ONLY, "a model of the test reads it")
    await asyncio.to_thread(until, lambda: _refuses_writes(address, str(tenant)))
    rex = {"name": "Rex", "type": "animal", "attributes": [{"name": "age", "value": "3 years"}], "messages": ["m1"]}
    likes = {"subject": "user", "predicate": "PREFERS", "object": "Rex", "statement": "She loves Rex."}
    reading = json.dumps({"title": "t", "summary": "s", "entities": [rex], "facts": [{**likes, "messages": ["m1"]}]})
    # The model answers once, and a worker does the jobs of all tenants.
    await delete_open_jobs(graph, except_tenant=str(tenant))
    with FakeOpenAI(says(reading)) as fake:
        model = OpenAIModel(Endpoint(model="fake", base_url=fake.base_url, api_key=None, timeout_s=60))
        await service.parts.memory.remember(tenant, an_incoming("I love Rex. He is 3."))
        await a_worker(
            graph, readers=Readers(first=model_chain(model, read_with_tags), fallback=read_with_tags)
        ).drain()
    spelled = provided_fact({**likes, "object": "Réx", "confidence": 0.9, "strength": 0.9})
    await service.parts.memory.remember(tenant, an_incoming("Réx is here.", session="s2", facts=(spelled,)))
    await a_worker(graph).drain()
    await quarantine.end(tenant)
    found = await Watching.found(service.http, str(tenant), "Rex")
    async with Watching.page_of(browser, service.http, str(tenant)) as viewer:
        await viewer.open(f"#/map?sel={found}")
        panel = viewer.page.locator("[data-panel]")
        await expect(panel.locator("[data-attributes]")).to_contain_text("age", timeout=WAIT_MS)
        await expect(panel.locator("[data-attributes] dd")).to_have_text("3 years")
        await expect(panel.locator("p.aka", has_text="Also")).to_contain_text("Réx")
        await expect(panel.locator(".kind")).to_have_text("Animal")


async def test_new_messages_arrive_with_the_facts_they_made(service: OpenService, viewer: Watching) -> None:
    page = viewer.page
    await viewer.open("#/map?side=now")
    await expect(page.locator("[data-message]").first).to_be_visible(timeout=WAIT_MS)
    incoming = an_incoming("I love sailing boats.", session="later", user_name="Alice")
    await service.parts.memory.remember(TenantId(viewer.tenant), incoming)
    message = page.locator("[data-message]").filter(has_text="sailing boats")
    await expect(message.first).to_be_visible(timeout=WAIT_MS)
    await expect(message.locator("[data-made]").first).to_be_visible(timeout=WAIT_MS)


@pytest.mark.slow
async def test_context_is_shown_as_the_agent_got_it_and_its_hits_are_judged(
    service: OpenService, viewer: Watching
) -> None:
    page = viewer.page
    await viewer.open("#/map?side=now")
    await expect(page.locator("[data-no-questions]")).to_be_visible(timeout=WAIT_MS)
    query = {"query": '{ context(userId: "alice", query: "Which tea do I love?") { text tokens } }'}
    async with service.client(None, **{"Mnemoscene-Tenant": viewer.tenant}) as client:
        context = (await client.post("/graphql", json=query)).json()["data"]["context"]
    summary = page.locator("[data-given] summary")
    await expect(summary).to_have_text(f"What the agent got · {context['tokens']} of 1,000 tokens", timeout=WAIT_MS)
    await summary.press("Enter")
    assert await page.locator("[data-given] pre").inner_text() == context["text"]
    first = page.locator("[data-judge]").first
    await first.press("Enter")
    await expect(first).to_have_attribute("aria-pressed", "true", timeout=WAIT_MS)
    await page.reload()
    await expect(first).to_have_attribute("aria-pressed", "true", timeout=WAIT_MS)
    await expect(page.locator('[data-judge][aria-pressed="true"]')).to_have_count(1)
    async with page.expect_download() as saving:
        await page.locator('[data-act="cases"]').click()
    cases = json.loads(await asyncio.to_thread(Path(await (await saving.value).path()).read_text, "utf-8"))
    assert [one["question"] for one in cases["questions"]] == ["Which tea do I love?"]


async def test_forgotten_message_takes_its_questions_from_the_panel(service: OpenService, viewer: Watching) -> None:
    await viewer.open("#/map?side=now")
    await expect(viewer.page.locator("[data-no-questions]")).to_be_visible(timeout=WAIT_MS)
    await asked(service, viewer, "Does she hate coriander?")
    question = viewer.page.locator("[data-question]")
    await expect(question).to_have_count(1, timeout=WAIT_MS)
    said = await service.parts.memory.messages.latest(TenantId(viewer.tenant), "alice", limit=10)
    (gone,) = [message.id for message in said if "coriander" in message.text]
    await service.parts.memory.forgetting.message(TenantId(viewer.tenant), gone)
    await expect(question).to_have_count(0, timeout=WAIT_MS)


async def test_review_by_keys_makes_the_memory_surer_and_can_be_undone(service: OpenService, viewer: Watching) -> None:
    page = viewer.page
    await viewer.open("#/map?side=review")
    card = page.locator("[data-card]")
    await expect(card).to_be_visible(timeout=WAIT_MS)
    total = await page.locator("progress").get_attribute("max")
    first = str(await card.get_attribute("data-card"))
    fact = first.partition(":")[2]
    await expect(card.locator("figcaption b").first).to_have_text("Alice", timeout=WAIT_MS)
    assert fact in await viewer.probe("recalled()")
    before = {edge["id"]: edge for edge in (await facts_by_object(viewer)).values()}[fact]
    await page.keyboard.press("y")
    await expect(page.locator(f'[data-card="{first}"]')).to_have_count(0, timeout=WAIT_MS)
    await expect(page.locator("[data-surer]")).to_be_visible(timeout=WAIT_MS)
    after = {edge["id"]: edge for edge in (await facts_by_object(viewer)).values()}[fact]
    assert (before["confidence"] < 1.0, after["confidence"]) == (True, 1.0)
    await page.keyboard.press("u")
    await expect(page.locator(f'[data-card="{first}"]')).to_be_visible(timeout=WAIT_MS)
    # A rejected fact leaves recall.
    statement = str(before["statement"])
    assert fact in [hit["id"] for hit in await asked(service, viewer, statement)]
    await page.keyboard.press("n")
    await expect(page.locator(f'[data-card="{first}"]')).to_have_count(0, timeout=WAIT_MS)
    assert fact not in [hit["id"] for hit in await asked(service, viewer, statement)]
    await expect(page.locator("[data-progress]")).to_contain_text(f"1 of {total}")


@pytest.mark.slow
async def test_merge_card_shows_the_words_about_both(service: OpenService, browser: Browser) -> None:
    tenant = TenantId(f"same-{uuid4().hex[:8]}")
    said = {"Nina": "Nina paints.", "Nina Berg": "Nina Berg works at Acme."}
    for name, text in said.items():
        fact = {"subject": name, "subject_type": "person", "object": "Acme", "object_type": "organization"}
        works = provided_fact({**fact, "predicate": "RELATES_TO", "relation": "works at", "statement": text})
        await service.parts.memory.remember(tenant, an_incoming(text, session=name, facts=(works,)))
    await Watching.found(service.http, str(tenant), "Nina Berg")
    async with Watching.page_of(browser, service.http, str(tenant)) as viewer:
        await viewer.open("#/map?side=review")
        card = viewer.page.locator('[data-kind="SAME"]')
        while await card.count() == 0:
            await viewer.page.locator('[data-answer="skip"]').click()
        await expect(card.locator("section blockquote")).to_have_count(2, timeout=WAIT_MS)
        for name, text in said.items():
            entity = card.locator("section").filter(has=viewer.page.locator(f'p.statement:text-matches("^\\d{name}$")'))
            await expect(entity.locator("blockquote")).to_have_text(text)


async def test_search_box_is_no_question_of_an_agent(service: OpenService, viewer: Watching) -> None:
    page = viewer.page
    await viewer.open("#/map?side=now")
    await expect(page.locator("[data-no-questions]")).to_be_visible(timeout=WAIT_MS)
    await page.get_by_role("combobox").first.fill("Which tea does she love?")
    await viewer.until("document.querySelector('#search-hits').innerText.trim() !== 'Searching the whole memory …'")
    await asked(service, viewer, "Does she hate coriander?")
    await expect(page.locator("[data-question]")).to_have_count(1, timeout=WAIT_MS)
    await expect(page.locator("[data-question] .text")).to_have_text("Does she hate coriander?")


async def test_contradictions_of_the_service_have_a_lens(service: OpenService, viewer: Watching) -> None:
    for number, name in enumerate(("Riyaad", "Boris")):
        text = f"They buy their fish from {name}."
        told = {"subject": "user", "predicate": "RELATES_TO", "relation": "fish supplier", "object": name}
        fact = provided_fact({**told, "statement": text, "confidence": 0.8, "strength": 0.7})
        incoming = an_incoming(f"Fish comes from {name}.", session=f"fish{number}", user_name="Alice", facts=(fact,))
        await service.parts.memory.remember(TenantId(viewer.tenant), incoming)
        await Watching.found(service.http, viewer.tenant, name)
    await viewer.open("#/map")
    lens = viewer.page.locator('[data-lens="agreeing facts"]')
    await expect(lens.locator(".n")).to_have_text("1", timeout=WAIT_MS)
    await lens.click()
    await viewer.until("window.__mnemoscene.counts.edges === 2")
    await viewer.until("window.__mnemoscene.counts.nodes === 3")
    riyaad = await Watching.found(service.http, viewer.tenant, "Riyaad")
    async with httpx.AsyncClient(timeout=60, headers={"Mnemoscene-Tenant": viewer.tenant}) as client:
        part = (await client.get(f"{service.http}/api/explore/around/{riyaad}")).json()
    await viewer.choose(next(edge["id"] for edge in part["edges"] if edge["relation"] == "fish supplier"))
    rival = viewer.page.locator("[data-contradicts]")
    await expect(rival).to_contain_text("They buy their fish from Boris.")
    await rival.get_by_role("button").click()
    await expect(rival).to_contain_text("They buy their fish from Riyaad.")
    await viewer.page.keyboard.press("Escape")
    await expect(viewer.page.locator("[data-lens]")).to_have_attribute("aria-pressed", "true")


@pytest.mark.slow
async def test_finished_review_says_so(service: OpenService, viewer: Watching) -> None:
    page = viewer.page
    await page.set_viewport_size({"width": 390, "height": 844})
    await viewer.open("#/map?side=review")
    card = page.locator("[data-card]")
    await expect(card).to_be_visible(timeout=WAIT_MS)
    while await card.count():
        name = str(await card.get_attribute("data-card"))
        await page.locator('[data-answer="skip"]').click()
        await expect(page.locator(f'[data-card="{name}"]')).to_have_count(0, timeout=WAIT_MS)
    await expect(page.locator("[data-empty]")).to_be_visible(timeout=WAIT_MS)
