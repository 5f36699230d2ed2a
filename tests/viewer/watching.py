"""A browser page that watches one tenant."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterable
from typing import Any, Literal

import httpx
from playwright.async_api import Browser, Page, Request

REMEMBER = "mutation($input: RememberInput!) { remember(input: $input) { stored } }"
WAIT_MS = 120_000
LOOKS_MAX, LOOK_AGAIN_S = 600, 0.1


class Watching:
    """One page that watches one tenant."""

    def __init__(self, page: Page, address: str, tenant: str) -> None:
        self.page = page
        self.address = address
        self.tenant = tenant
        self.errors: list[str] = []
        self.strangers: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(error.stack or str(error)))
        page.on("request", self._note)

    def _note(self, request: Request) -> None:
        if not request.url.startswith((self.address, self.address.replace("http", "ws"), "data:", "blob:")):
            self.strangers.append(request.url)

    @classmethod
    @contextlib.asynccontextmanager
    async def page_of(
        cls, browser: Browser, address: str, tenant: str, *, motion: Literal["no-preference", "reduce"] = "reduce"
    ) -> AsyncIterator["Watching"]:
        """Open a page; fail at the end if it had an error or requested another host.

        Args:
            motion: the user's preference; without motion the map goes to its place at once, which saves time.
        """
        page = await browser.new_page(viewport={"width": 1280, "height": 800}, locale="en-US", reduced_motion=motion)
        page.set_default_timeout(WAIT_MS)
        watching = cls(page, address, tenant)
        try:
            yield watching
        finally:
            await page.close()
        assert watching.errors == [], watching.errors
        assert watching.strangers == [], "the viewer must not ask anybody but its own service"

    async def open(self, view: str = "") -> None:
        """Open the page, live, at a view such as `#/list`."""
        if self.page.url != "about:blank":
            # Another fragment of the same URL would not reload the page.
            await self.page.goto("about:blank")
        await self.page.goto(f"{self.address}/?tenant={self.tenant}{view}")
        await self.until("window.__mnemoscene && window.__mnemoscene.state === 'live'")
        await self.until("window.__mnemoscene.epoch !== null")

    async def choose(self, element: str) -> None:
        """Select an element, as a link to it does."""
        path, _, query = (await self.page.evaluate("location.hash")).partition("?")
        chosen = "&".join([*(one for one in query.split("&") if one and not one.startswith("sel=")), f"sel={element}"])
        await self.page.evaluate(f"location.hash = {json.dumps(f'{path}?{chosen}')}")
        await self.until(f"window.__mnemoscene.selection === {json.dumps(element)}")

    async def until(self, condition: str) -> None:
        """Wait for a condition on the page; its policy forbids the `eval` that Playwright uses."""
        looking = f"""async () => {{
            const end = Date.now() + {WAIT_MS};
            while (!({condition})) {{
                if (Date.now() > end) return false;
                await new Promise((again) => setTimeout(again, 30));
            }}
            return true;
        }}"""
        assert await self.page.evaluate(looking), f"never came true: {condition}"

    async def drawn(self) -> None:
        """Wait two frames: in the first the page learns of a new size, and by the second it is drawn."""
        await self.page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
        )

    async def probe(self, expression: str) -> Any:
        """Return the value of an expression of the page's test probe."""
        return await self.page.evaluate(f"window.__mnemoscene.{expression}")

    async def resting_place(self, element: str) -> dict[str, float]:
        """Return the position of an element once the view has stopped moving."""
        looking = f"""async () => {{
            let before = null;
            for (let look = 0; look < 100; look++) {{
                const now = window.__mnemoscene.onPage({json.dumps(element)});
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
        """Store messages of a user through the API."""
        await self.told(self.address, self.tenant, *texts, session=session, user=user, name=name)

    @staticmethod
    async def told(
        address: str, tenant: str, *texts: str, session: str = "s1", user: str = "alice", name: str | None = None
    ) -> None:
        """Store messages of a user through the API before a viewer opens."""
        messages = [
            {"role": "USER", "text": text, "time": f"2026-03-01T12:{i:02d}:00Z"} for i, text in enumerate(texts)
        ]
        call = {"userId": user, "sessionId": session, "userName": name or user.title(), "messages": messages}
        body = {"query": REMEMBER, "variables": {"input": call}}
        async with httpx.AsyncClient(timeout=60) as client:
            answer = await client.post(f"{address}/graphql", json=body, headers={"Mnemoscene-Tenant": tenant})
        assert "errors" not in answer.json(), answer.text

    @staticmethod
    async def found(address: str, tenant: str, label: str) -> str:
        """Return the id of the first node with this name, once the messages have been read."""
        async with httpx.AsyncClient(timeout=60, headers={"Mnemoscene-Tenant": tenant}) as client:
            for _ in range(LOOKS_MAX):
                answer = await client.get(f"{address}/api/explore/search", params={"q": label})
                # A service that has just started may respond that it is unavailable.
                if nodes := answer.json().get("nodes"):
                    return str(nodes[0]["id"])
                await asyncio.sleep(LOOK_AGAIN_S)
        raise AssertionError(f"nothing named {label!r} was read within {LOOKS_MAX * LOOK_AGAIN_S:.0f} seconds")

    async def until_shown(self, label: str) -> None:
        """Wait until the list, which equals the map, shows a name."""
        await self.until(f"document.body.innerText.includes({json.dumps(label)})")


async def ann_told(address: str, tenant: str, told: Iterable[tuple[str, str]], *, until_found: Iterable[str]) -> None:
    """Store texts of Ann by time, a session for each month; return once these labels are found."""
    async with httpx.AsyncClient(timeout=60, headers={"Mnemoscene-Tenant": tenant}) as client:
        for at, text in told:
            message = {"role": "USER", "text": text, "time": at}
            call = {"userId": "ann", "sessionId": at[:7], "userName": "Ann", "messages": [message]}
            answer = await client.post(f"{address}/graphql", json={"query": REMEMBER, "variables": {"input": call}})
            assert "errors" not in answer.json(), answer.text
    for label in until_found:
        await Watching.found(address, tenant, label)
