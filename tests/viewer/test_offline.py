"""Test that the last map opens without database or service, and only for its user."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, expect

from graph_service.auth.access import Role
from schema.ids import TenantId
from tests.conftest import Server
from tests.support.builders import an_incoming
from tests.support.open_service import OpenService, open_service
from tests.support.polling import eventually
from tests.support.tcp_proxy import TcpProxy, tcp_proxy

WAIT_MS = 45_000


@pytest_asyncio.fixture(loop_scope="session")
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    context = await browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US")
    context.set_default_timeout(WAIT_MS)
    expect.set_options(timeout=WAIT_MS)
    yield context
    await context.close()


@contextlib.asynccontextmanager
async def behind_a_cable(server: Server, folder: Path) -> AsyncIterator[tuple[OpenService, TcpProxy]]:
    """Start a service whose connection to the database can be cut."""
    port = urlsplit(server.uri).port or 0
    async with tcp_proxy(port) as cable:
        far = Server(uri=f"bolt://127.0.0.1:{cable.port}", user=server.user, password=server.password)
        async with open_service(far, folder) as service:
            try:
                yield service, cable
            finally:
                # Keys that cannot be deleted would lock out the tests that follow on this database.
                if cable.is_cut:
                    await cable.mend(port)
                    await eventually(service.parts.graph.answers)


async def signed_in(page: Page, service: OpenService, tenant: str, key: str) -> None:
    await page.goto(f"{service.http}/?tenant={tenant}#/list")
    await page.get_by_label("Your key").fill(key)
    await page.get_by_role("button", name="Sign in").click()


async def test_last_map_opens_without_database_and_service_until_sign_out(
    server: Server, context: BrowserContext, tenant: str, tmp_path: Path
) -> None:
    """One service that first loses its database, then signs its reader out, and finally stops."""
    page = await context.new_page()
    banner, tea = page.locator("[data-old]"), page.get_by_text("jasmine tea").first
    async with behind_a_cable(server, tmp_path) as (service, cable):
        ann, bob = await service.key(tenant, Role.READ), await service.key(f"{tenant}-b", Role.READ)
        await service.parts.memory.remember(TenantId(tenant), an_incoming("I love jasmine tea."))
        # Without its database the service shows the map as it was when the page opened it.
        await service.parts.worker.drain()
        await signed_in(page, service, tenant, ann.text)
        await expect(tea).to_be_visible()
        await expect(page.locator("[data-kept]")).to_be_visible()

        await cable.cut()
        await expect(banner).to_contain_text("The database is not available. This is the state of")
        await page.reload()
        await expect(banner).to_contain_text("The database is not available. This is the state of")
        await expect(tea).to_be_visible()
        await page.evaluate(SELECT_TEA)
        await expect(page.locator("[data-panel]")).to_contain_text("could not be loaded")
        await cable.mend(urlsplit(server.uri).port or 0)
        await expect(banner).to_have_count(0)
        await expect(page.locator("[data-panel] mark").first).to_contain_text("jasmine tea", timeout=WAIT_MS)

        await page.locator('[data-act="sign-out"]').click()
        await expect(page.get_by_label("Your key")).to_be_visible()
        await expect(tea).to_have_count(0)
        assert await page.evaluate(COPIES) == []
        await signed_in(page, service, f"{tenant}-b", bob.text)
        await expect(page.locator('[data-act="sign-out"]')).to_be_visible()
        await page.locator('[data-act="sign-out"]').click()
        # Signing out reloads the page, which would be interrupted by opening another page.
        await expect(page.get_by_label("Your key")).to_be_visible()
        await signed_in(page, service, tenant, ann.text)
        await expect(page.locator("[data-kept]")).to_be_visible()
        address = service.http
        # The test's keys are revoked before the service stops; the page must not notice that.
        await page.goto("about:blank")

    await page.goto(f"{address}/?tenant={tenant}#/list")
    await expect(tea).to_be_visible()
    await expect(banner).to_contain_text("The service does not respond. This is the copy that this browser saved on")
    await page.goto(f"{address}/?tenant={tenant}-b")
    await expect(page.locator("[data-gone]")).to_contain_text("mnemoscene serve")
    await expect(tea).to_have_count(0)


SELECT_TEA = "location.hash = `#/list?sel=${document.querySelector('.list [data-target]').dataset.id}`"
# Tenants whose map the browser has stored.
COPIES = """() => new Promise((resolve, reject) => {
  const opening = indexedDB.open("mnemoscene");
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const asked = opening.result.transaction("copies").objectStore("copies").getAll();
    asked.onsuccess = () => { opening.result.close(); resolve(asked.result.map((copy) => copy.tenant)); };
  };
})"""
