"""Test the search box with an embedder: what is meant is found without a common word."""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from extraction.embeddings.embedder import token_model_of
from graph_service.graph.schema_setup import prepare_vectors
from graph_service.graph.store import Graph
from schema.ids import TenantId
from tests.conftest import Server
from tests.support.builders import an_incoming, delete_open_jobs
from tests.support.open_service import OpenService, open_service
from tests.viewer.watching import WAIT_MS, Watching

_SAID = ("I adore my golden retriever.", "I hate coriander.", "I really do love 弹钢琴.")
_ASKED_MAX = 30


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(server: Server, graph: Graph, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenService]:
    # The worker would embed the messages of all earlier tests with the model of this module.
    await delete_open_jobs(graph)
    folder: Path = tmp_path_factory.mktemp("service")
    async with open_service(server, folder, {"MNEMOSCENE_EMBEDDING_KIND": "local"}) as running:
        embedder = running.parts.embedder
        assert embedder is not None
        await prepare_vectors(graph, model=embedder.name, dim=embedder.dim, token_model=token_model_of(embedder))
        # Until then the service keeps to the vectors of the tests' embedder.
        await running.parts.forgettings.poll()
        yield running
    await delete_open_jobs(graph)


@pytest_asyncio.fixture(loop_scope="session")
async def viewer(browser: Browser, service: OpenService) -> AsyncIterator[Watching]:
    tenant = f"meaning-{uuid4().hex[:8]}"
    await service.parts.memory.remember(TenantId(tenant), an_incoming(*_SAID, user_name="Alice"))
    for label in ("golden retriever", "coriander", "弹钢琴"):
        await Watching.found(service.http, tenant, label)
    async with Watching.page_of(browser, service.http, tenant) as watching:
        await watching.open("#/map")
        yield watching


@pytest.mark.slow
async def test_search_finds_by_meaning_what_shares_no_word(viewer: Watching) -> None:
    box, meant = viewer.page.get_by_role("combobox").first, viewer.page.locator('[data-group="meant"]')
    for query, wanted in (("Does she keep a pet?", "retriever"), ("她会什么乐器？", "弹钢琴")):
        for _ in range(_ASKED_MAX):
            # Vectors are computed some time after the facts.
            await box.fill("")
            await box.fill(query)
            await viewer.until(
                "document.querySelector('#search-hits').innerText.trim() !== 'Searching the whole memory …'"
            )
            if await meant.filter(has_text=wanted).count():
                break
        await expect(viewer.page.locator('[data-group="named"], [data-group="facts"]')).to_have_count(0)
        await expect(meant.filter(has_text=wanted).first).to_be_visible(timeout=WAIT_MS)
    await meant.first.click()
    await viewer.until("window.__mnemoscene.selection !== null")
