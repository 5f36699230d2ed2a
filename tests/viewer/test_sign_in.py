"""Test sign-in with a key, and the tenant that the key gives access to."""

import json
from pathlib import Path

from playwright.async_api import Browser, expect

from graph_service.auth.access import Role
from tests.conftest import Server
from tests.support.builders import an_incoming
from tests.support.open_service import open_service


async def test_locked_service_is_opened_by_a_key_in_the_browser(
    server: Server, browser: Browser, tenant: str, tmp_path: Path
) -> None:
    async with open_service(server, tmp_path) as service:
        new = await service.key(tenant, Role.READ)
        await service.parts.memory.remember(new.key.tenant, an_incoming("I love jasmine tea."))
        page = await browser.new_page(locale="en-US")
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        await page.goto(service.http)
        field = page.get_by_label("Your key")
        await field.fill("mnk_wrong_key")
        await page.get_by_role("button", name="Sign in").click()
        await expect(page.get_by_role("alert")).to_contain_text("wrong, expired or revoked")
        await field.fill(new.text)
        await page.get_by_role("button", name="Sign in").click()
        await page.wait_for_url(f"{service.http}/?tenant={tenant}*")
        await expect(page.get_by_text("Live", exact=False).first).to_be_visible()
        await expect(field).to_have_count(0)
        (cookie,) = await page.context.cookies()
        assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
        assert new.text not in json.dumps([asked, cookie, await page.evaluate("Object.values({...localStorage})")])
        await service.parts.keyring.revoke(new.key.id)
        await expect(field).to_be_visible()
        await page.close()
