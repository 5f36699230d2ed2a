"""The mind map in a real browser, fed by the real service: it grows while somebody watches."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest_asyncio
from playwright.async_api import Browser, Page, Request

REMEMBER = "mutation($input: RememberInput!) { remember(input: $input) { stored } }"
WAIT_MS = 30_000


class Viewer:
    """One page that watches one tenant."""

    def __init__(self, page: Page, address: str, tenant: str) -> None:
        self.page = page
        self.address = address
        self.tenant = tenant
        self.errors: list[str] = []
        self.strangers: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", self._note)

    def _note(self, request: Request) -> None:
        if not request.url.startswith((self.address, self.address.replace("http", "ws"), "data:", "blob:")):
            self.strangers.append(request.url)

    async def open(self) -> None:
        """The page, live."""
        await self.page.goto(f"{self.address}/?tenant={self.tenant}")
        await self.until("window.__mnemograph && window.__mnemograph.state === 'live'")

    async def until(self, condition: str) -> None:
        """Waits for a condition on the page; its policy forbids the `eval` of Playwright's own way."""
        looking = f"""async () => {{
            const end = Date.now() + {WAIT_MS};
            while (!({condition})) {{
                if (Date.now() > end) return false;
                await new Promise((again) => setTimeout(again, 30));
            }}
            return true;
        }}"""
        assert await self.page.evaluate(looking), f"never came true: {condition}"

    async def probe(self, expression: str) -> Any:
        """What the probe says."""
        return await self.page.evaluate(f"window.__mnemograph.{expression}")

    async def resting_place(self, element: str) -> dict[str, float]:
        """Where something is on the page once the view has stopped moving."""
        looking = f"""async () => {{
            let before = null;
            for (let look = 0; look < 100; look++) {{
                const now = window.__mnemograph.onPage({json.dumps(element)});
                if (now && before && now.x === before.x && now.y === before.y) return now;
                before = now;
                await new Promise((again) => setTimeout(again, 300));
            }}
            return null;
        }}"""
        place = await self.page.evaluate(looking)
        assert place is not None, "the view never came to rest"
        return dict(place)

    async def say(self, *texts: str, session: str = "s1", user: str = "alice", name: str = "Alice") -> None:
        """Messages of a user, remembered through the API."""
        messages = [
            {"role": "USER", "text": text, "time": f"2026-03-01T12:{i:02d}:00Z"} for i, text in enumerate(texts)
        ]
        call = {"userId": user, "sessionId": session, "userName": name, "messages": messages}
        body = {"query": REMEMBER, "variables": {"input": call}}
        async with httpx.AsyncClient(timeout=60) as client:
            answer = await client.post(f"{self.address}/graphql", json=body, headers={"Mnemograph-Tenant": self.tenant})
        assert "errors" not in answer.json(), answer.text

    async def until_shown(self, label: str) -> None:
        """Waits until the list, the twin of the map, names something."""
        await self.until(f"document.body.innerText.includes({json.dumps(label)})")


@pytest_asyncio.fixture(loop_scope="session")
async def viewer(browser: Browser, address: str, tenant: str) -> AsyncIterator[Viewer]:
    """A page on a tenant of this test alone."""
    page = await browser.new_page(viewport={"width": 1280, "height": 800}, locale="en-US")
    watching = Viewer(page, address, tenant)
    yield watching
    await page.close()
    assert watching.errors == []
    assert watching.strangers == [], "the viewer must not ask anybody but its own service"


async def _first_edge(viewer: Viewer, predicate: str) -> dict[str, Any]:
    headers = {"Mnemograph-Tenant": viewer.tenant}
    async with httpx.AsyncClient(timeout=60) as client:
        snapshot = (await client.get(f"{viewer.address}/api/snapshot", headers=headers)).json()
    return next(edge for edge in snapshot["edges"] if edge["predicate"] == predicate)


async def test_an_empty_memory_says_how_to_begin(viewer: Viewer) -> None:
    await viewer.open()
    await viewer.until_shown("mnemograph remember")


async def test_new_facts_appear_highlighted_while_one_watches(viewer: Viewer) -> None:
    await viewer.say("I love jasmine tea.")
    await viewer.open()
    await viewer.until("window.__mnemograph.counts.edges >= 2")
    before = await viewer.probe("positions()")
    seq = await viewer.probe("seq")
    await viewer.say("I hate coriander.", session="s2")
    await viewer.until(f"window.__mnemograph.seq > {seq} && window.__mnemograph.newIds().length > 0")
    edge = await _first_edge(viewer, "DISLIKES")
    await viewer.until(f"window.__mnemograph.ids().includes({json.dumps(edge['id'])})")
    assert edge["id"] in await viewer.probe("newIds()")
    after = await viewer.probe("positions()")
    assert before
    assert {name: after[name] for name in before} == before, "what was there must not move"


async def test_a_click_on_an_edge_shows_statement_and_marked_evidence(viewer: Viewer) -> None:
    await viewer.say("We talked for long. I love jasmine tea.")
    await viewer.open()
    await viewer.until("window.__mnemograph.counts.edges >= 2")
    edge = await _first_edge(viewer, "PREFERS")
    place = json.dumps(edge["id"])
    point = await viewer.resting_place(edge["id"])
    await viewer.page.mouse.click(point["x"], point["y"])
    await viewer.until(f"window.__mnemograph.selection === {place}")
    panel = viewer.page.locator("[data-panel]")
    await panel.locator("mark").first.wait_for(timeout=WAIT_MS)
    text = await panel.inner_text()
    assert "jasmine tea" in text
    assert "We talked for long." in text
    assert "jasmine tea" in (await panel.locator("mark").first.inner_text())


async def test_chinese_memories_and_words_are_shown(viewer: Viewer) -> None:
    await viewer.say("我很喜欢弹钢琴。", user="zhang", name="张曼婷")
    await viewer.page.add_init_script("localStorage.clear()")
    await viewer.open()
    await viewer.until("window.__mnemograph.counts.edges >= 2")
    await viewer.page.keyboard.press("l")
    await viewer.until_shown("弹钢琴")


async def test_two_viewers_of_two_tenants_see_only_their_own(browser: Browser, viewer: Viewer) -> None:
    page = await browser.new_page(locale="en-US")
    other = Viewer(page, viewer.address, f"{viewer.tenant}-other")
    await other.open()
    await viewer.say("I love xylophones.")
    await viewer.open()
    await viewer.until("window.__mnemograph.counts.edges >= 2")
    assert await other.probe("counts.held") == {"nodes": 0, "edges": 0}
    await page.close()


async def test_text_from_conversations_never_becomes_markup(viewer: Viewer) -> None:
    await viewer.say(
        'I love <img src=x onerror="window.pwned=1">cake.', 'I love "><script>window.pwned=1</script> tea.'
    )
    await viewer.say("I love <b>bees</b>.", session="s2", user="mallory", name='<img src=x onerror="window.pwned=1">')
    await viewer.open()
    await viewer.until("window.__mnemograph.counts.nodes >= 2")
    await viewer.page.keyboard.press("l")
    assert await viewer.page.evaluate("window.pwned") is None
