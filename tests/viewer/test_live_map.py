"""Test that the mind map in the browser grows with the service's changes."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from tests.viewer.watching import WAIT_MS
from tests.viewer.watching import Watching as Viewer


@pytest_asyncio.fixture(loop_scope="session")
async def viewer(browser: Browser, address: str, tenant: str) -> AsyncIterator[Viewer]:
    """Open a page on a tenant of this test alone, whose map moves as by default."""
    async with Viewer.page_of(browser, address, tenant, motion="no-preference") as watching:
        yield watching


async def _first_edge(viewer: Viewer, predicate: str) -> dict[str, Any]:
    headers = {"Mnemoscene-Tenant": viewer.tenant}
    async with httpx.AsyncClient(timeout=60) as client:
        snapshot = (await client.get(f"{viewer.address}/api/snapshot", headers=headers)).json()
    return next(edge for edge in snapshot["edges"] if edge["predicate"] == predicate)


async def test_empty_memory_explains_how_to_begin(viewer: Viewer) -> None:
    await viewer.open()
    command = f'mnemoscene --tenant {viewer.tenant} remember --user alice "I love jasmine tea"'
    await viewer.until_shown(command)
    await expect(viewer.page.locator("[data-memory]")).to_have_text(viewer.tenant)
    assert viewer.tenant in await viewer.page.title()
    await viewer.page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=viewer.address)
    copy = viewer.page.locator('[data-act="copy"]').first
    await copy.click()
    await expect(copy).to_have_text("Copied")
    assert await viewer.page.evaluate("navigator.clipboard.readText()") == command
    await viewer.page.locator("[data-demo]").get_by_role("link").click()
    await viewer.until("location.search === '?tenant=demo' && window.__mnemoscene?.state === 'live'")


@pytest.mark.slow
async def test_mistyped_memory_says_its_name_and_leads_to_the_default_one(viewer: Viewer) -> None:
    await viewer.say("I love jasmine tea.")
    mistyped = Viewer(viewer.page, viewer.address, f"{viewer.tenant}x")
    await mistyped.open()
    where = viewer.page.locator("[data-tenant]")
    await expect(where).to_contain_text(f"This memory is called “{viewer.tenant}x”", timeout=WAIT_MS)
    await expect(where).to_contain_text("check “tenant=” in the address")
    await where.get_by_role("link", name="Open the default memory").click()
    await viewer.until("location.search === '' && window.__mnemoscene?.state === 'live'")
    await viewer.page.evaluate("localStorage.setItem('mnemoscene:lang', 'zh')")
    await mistyped.open()
    await expect(where).to_contain_text(f"此记忆名为“{viewer.tenant}x”", timeout=WAIT_MS)


async def test_impossible_memory_and_dead_link_are_explained(viewer: Viewer) -> None:
    await viewer.page.goto(f"{viewer.address}/?tenant=a%20b/c")
    card = viewer.page.locator("[data-no-tenant]")
    await card.wait_for(timeout=WAIT_MS)
    assert "“a b/c” cannot be the name of a memory" in await card.inner_text()
    await viewer.open("#/map?sel=12345678-0000-5000-8000-000000000000")
    gone = viewer.page.locator("[data-panel] [data-missing]")
    await gone.wait_for(timeout=WAIT_MS)
    assert "snapshot" not in await viewer.page.locator("body").inner_text()


async def test_forgotten_user_leaves_the_list_of_an_open_page(viewer: Viewer) -> None:
    names = viewer.page.locator(".lens option")
    await viewer.say("I love jasmine tea.", user="zoe", name="Zoe Zimmer")
    await viewer.open()
    await expect(names.filter(has_text="Zoe Zimmer")).to_have_count(1, timeout=WAIT_MS)
    body = {"query": 'mutation { forgetUser(userId: "zoe") { __typename } }'}
    async with httpx.AsyncClient(timeout=60, headers={"Mnemoscene-Tenant": viewer.tenant}) as client:
        assert "errors" not in (await client.post(f"{viewer.address}/graphql", json=body)).json()
    await expect(names.filter(has_text="Zoe Zimmer")).to_have_count(0, timeout=WAIT_MS)


async def test_new_facts_appear_highlighted_on_an_open_page(viewer: Viewer) -> None:
    await viewer.say("I love jasmine tea.")
    await viewer.open()
    await viewer.until("window.__mnemoscene.counts.edges >= 2")
    before = await viewer.probe("positions()")
    seq = await viewer.probe("seq")
    await viewer.say("I hate coriander.", session="s2")
    await viewer.until(f"window.__mnemoscene.seq > {seq} && window.__mnemoscene.newIds().length > 0")
    edge = await _first_edge(viewer, "DISLIKES")
    await viewer.until(f"window.__mnemoscene.ids().includes({json.dumps(edge['id'])})")
    assert edge["id"] in await viewer.probe("newIds()")
    after = await viewer.probe("positions()")
    assert before
    assert {name: after[name] for name in before} == before, "what was there must not move"


async def test_click_on_an_edge_shows_statement_and_highlighted_evidence(viewer: Viewer) -> None:
    await viewer.say("We talked for long. I love jasmine tea.")
    await viewer.open()
    await viewer.until("window.__mnemoscene.counts.edges >= 2")
    edge = await _first_edge(viewer, "PREFERS")
    place = json.dumps(edge["id"])
    point = await viewer.resting_place(edge["id"])
    await viewer.page.mouse.click(point["x"], point["y"])
    await viewer.until(f"window.__mnemoscene.selection === {place}")
    panel = viewer.page.locator("[data-panel]")
    await panel.locator("mark").first.wait_for(timeout=WAIT_MS)
    text = await panel.inner_text()
    assert "jasmine tea" in text
    assert "We talked for long." in text
    assert "jasmine tea" in (await panel.locator("mark").first.inner_text())


@pytest.mark.slow
async def test_chinese_memories_and_texts_are_shown(viewer: Viewer) -> None:
    await viewer.say("I really do love 弹钢琴.", user="zhang", name="张曼婷")
    await viewer.page.add_init_script("localStorage.clear()")
    await viewer.open()
    await viewer.until("window.__mnemoscene.counts.edges >= 2")
    await viewer.page.keyboard.press("l")
    await viewer.until_shown("弹钢琴")


async def test_viewers_of_two_tenants_see_only_their_own(browser: Browser, viewer: Viewer) -> None:
    page = await browser.new_page(locale="en-US")
    other = Viewer(page, viewer.address, f"{viewer.tenant}-other")
    await other.open()
    await viewer.say("I love xylophones.")
    await viewer.open()
    await viewer.until("window.__mnemoscene.counts.edges >= 2")
    assert await other.probe("counts.held") == {"nodes": 0, "edges": 0}
    await page.close()


@pytest.mark.slow
async def test_message_text_never_becomes_markup(viewer: Viewer) -> None:
    await viewer.say(
        'I love <img src=x onerror="window.pwned=1">cake.', 'I love "><script>window.pwned=1</script> tea.'
    )
    await viewer.say("I love <b>bees</b>.", session="s2", user="mallory", name='<img src=x onerror="window.pwned=1">')
    await viewer.open()
    await viewer.until("window.__mnemoscene.counts.nodes >= 2")
    await viewer.page.keyboard.press("l")
    assert await viewer.page.evaluate("window.pwned") is None
