"""Measure what holds the page up while a user opens it, types in the search and selects, and the zoom meanwhile."""

import asyncio
import os
import statistics
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from graph_service.demo.scenario import demo_conversations
from graph_service.memory.ingest.validation import RememberRequest
from schema.ids import TenantId
from tests.benchmarks.viewer_memories import BenchMemory
from tests.benchmarks.viewer_page import BenchPage
from tests.support.builders import a_memory, a_worker

if TYPE_CHECKING:
    from tests.benchmarks.viewer_figures import Bench

_ROUNDS: Final = 3
_WORDS: Final = ("chocolate", "birthday")
_ROWS: Final = "document.querySelector('#search-hits [role=option]')"
# From a key to the frame that shows rows for what the box then holds.
_LAST_KEY: Final = f"""async (text) => {{
  const box = document.querySelector("[role=combobox]");
  const begun = performance.now();
  box.value = text;
  box.dispatchEvent(new Event("input", {{ bubbles: true }}));
  do await new Promise((frame) => requestAnimationFrame(() => setTimeout(frame)));
  while (!{_ROWS} && performance.now() - begun < 20000);
  return performance.now() - begun;
}}"""
# Three nodes that are not under a bar or a button, by where they are on the page.
_IN_SIGHT: Final = """() => Object.keys(window.__mnemoscene.positions()).map((id) => window.__mnemoscene.onPage(id))
  .filter((at) => at && document.elementFromPoint(at.x, at.y)?.closest(".big"))
  .slice(0, 12).filter((_, n) => n % 4 === 1)"""
_ZOOM: Final = """() => {
  const at = window.__mnemoscene.positions();
  const [one, other] = [Object.keys(at)[0], Object.keys(at).at(-1)];
  const [a, b] = [window.__mnemoscene.onPage(one), window.__mnemoscene.onPage(other)];
  return Math.hypot(a.x - b.x, a.y - b.y) / Math.hypot(at[one][0] - at[other][0], at[one][1] - at[other][1]);
}"""


async def acting(bench: "Bench") -> None:
    """Measure on the demo, and on thirty people with 1,200 messages."""
    calls = demo_conversations()
    for name, told in (("demo", calls), ("30 people, 1,200 messages", _thirty_people(calls))):
        tenant = f"viewer-acting-{uuid.uuid4().hex[:6]}"
        bench.written[tenant] = BenchMemory(tenant, ())
        memory = a_memory(bench.graph)
        for call in told:
            await memory.remember(TenantId(tenant), call)
        await a_worker(bench.graph).drain()
        for view in ("map", "net", "list"):
            actions = _Actions(bench, tenant, view)
            for _ in range(_ROUNDS):
                await actions.repeat()
            actions.report(f"{name}, {view}")


def _thirty_people(calls: list[RememberRequest]) -> list[RememberRequest]:
    """Return forty messages of the demo for each of thirty people, no two of whom have the same forty."""
    told = [message for call in calls for message in call.messages]
    return [
        replace(
            calls[0], user_id=f"p{n}", user_name=f"Person {n}", session_id=f"s{n}", messages=tuple(told[n * 7 :][:40])
        )
        for n in range(30)
    ]


@dataclass
class _Actions:
    """Measurements in one view: the longest tasks by action, the waits for rows, and changes of the zoom."""

    bench: "Bench"
    tenant: str
    view: str
    tasks: dict[str, list[float]] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)
    zooms: list[float] = field(default_factory=list)

    async def repeat(self) -> None:
        """Do everything once in a fresh page."""
        async with self.bench.page() as page:
            await self._traced(page, "opening", lambda: self._open(page))
            for word in _WORDS:
                await self._traced(page, "typing in the search", lambda text=word: _typed(page, text))
                await page.page.keyboard.press("/")
                await page.page.keyboard.type(word[:4])
                await asyncio.sleep(1)
                self.waits.append(await page.page.evaluate(_LAST_KEY, word[:5]))
                await page.page.keyboard.press("Escape")
            if self.view == "list":
                for at in (3, 9, 14):
                    row = page.page.locator(".list [data-id]").nth(at)
                    await self._traced(page, "selecting", row.click)
                return
            for at in await page.page.evaluate(_IN_SIGHT):
                before = await page.page.evaluate(_ZOOM)
                await self._traced(page, "selecting", lambda spot=at: page.page.mouse.click(spot["x"], spot["y"]))
                self.zooms.append(abs(await page.page.evaluate(_ZOOM) / before - 1))
                await page.page.keyboard.press("Escape")
                await asyncio.sleep(1)

    async def _open(self, page: BenchPage) -> None:
        await page.page.goto(f"{page.address}/?tenant={self.tenant}#/{self.view}")
        await page.until("window.__mnemoscene?.epoch != null && window.__mnemoscene.state === 'live'")
        await asyncio.sleep(2)

    async def _traced(self, page: BenchPage, action: str, deed: Callable[[], Awaitable[Any]]) -> None:
        async with page.traced_tasks(self.bench.browser) as seen:
            await deed()
            await asyncio.sleep(1)
        self.tasks.setdefault(action, []).append(max(cpu for cpu, _ in seen))

    def report(self, what: str) -> None:
        """Record medians, since neighbours and garbage collection interrupt single actions."""
        load = os.getloadavg()[0]
        for action, longest in self.tasks.items():
            self.bench.at_most(f"{what}: longest task of {action} (load {load:.0f})", 200, statistics.median(longest))
            self.bench.told(f"{what}: all of {action}", ", ".join(f"{one:.0f}" for one in sorted(longest)))
        self.bench.at_most(f"{what}: search, last key to first rows, real time", 300, statistics.median(self.waits))
        if self.zooms:
            self.bench.at_most(f"{what}: change of the zoom by selecting", 0.01, 100 * max(self.zooms), "%")


async def _typed(page: BenchPage, word: str) -> None:
    await page.page.keyboard.press("/")
    await page.page.keyboard.type(word, delay=120)
    await asyncio.sleep(1)
    await page.page.keyboard.press("Escape")
    await asyncio.sleep(0.5)
