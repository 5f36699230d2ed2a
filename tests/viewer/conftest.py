"""Fixtures for browser tests: a running service and a headless Chromium, or a skip with the reason."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect

from tests.conftest import Server
from tests.support.cli_process import Home
from tests.support.polling import until
from tests.viewer.watching import WAIT_MS, Watching

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def chromium() -> str:
    """Return the path of an installed Chromium."""
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium is installed: the viewer was not tested in a browser (apt-get install chromium)")
    return found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(chromium: str) -> AsyncIterator[Browser]:
    """Start one browser for all tests; each test opens its own pages."""
    # Playwright gives up after 5 s, which is not enough on a busy machine.
    expect.set_options(timeout=WAIT_MS)
    async with async_playwright() as playwright:
        started = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield started
        await started.close()


@pytest.fixture(scope="session")
def service_address(server: Server, chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the URL of a `mnemoscene serve` for all tests."""
    folder: Path = tmp_path_factory.mktemp("viewer")
    with Home(folder, server.environ).running("serve", "--port", "0", "--no-browser", "--json") as service:
        yield str(service.document()["viewer"]).split("?")[0].rstrip("/")


@pytest.fixture(scope="module")
def address(service_address: str) -> str:
    """Return the URL of the service when it needs no credential: keys of earlier tests may be known for a moment."""
    query = {"query": "{ __typename }"}
    until(lambda: httpx.post(f"{service_address}/graphql", json=query, timeout=60).status_code == 200)
    return service_address


@pytest_asyncio.fixture(loop_scope="session")
async def viewer(browser: Browser, address: str, memory: str) -> AsyncIterator[Watching]:
    """Open a page of the tenant that the module's fixture `memory` created."""
    async with Watching.page_of(browser, address, memory) as watching:
        yield watching
