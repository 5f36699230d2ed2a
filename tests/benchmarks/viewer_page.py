"""A measured page of a headless Chromium: CPU of its main thread, and what it draws when."""

import asyncio
import contextlib
import json
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, CDPSession, Page

_WATCH = Path(__file__).with_name("viewer_watch.js")
_WAIT_S = 120.0
_NEXT_FRAME = "() => new Promise((next) => requestAnimationFrame(() => setTimeout(next)))"


@dataclass(frozen=True, slots=True)
class Frames:
    """CPU of the main thread for each of several frames."""

    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class Opened:
    """The cost of opening a view."""

    cpu_ms: float
    wall_ms: float
    drawn: dict[str, int]


class BenchPage:
    """A page that is measured from outside."""

    def __init__(self, page: Page, cdp: CDPSession, address: str) -> None:
        self.page = page
        self.address = address
        self._cdp = cdp

    async def cpu_ms(self) -> float:
        """Return the CPU used by the main thread since the page's process began."""
        metrics = (await self._cdp.send("Performance.getMetrics"))["metrics"]
        return 1000 * float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))

    async def open(self, tenant: str, view: str = "#/map", *, ready: str = "true") -> Opened:
        """Open a view and wait for its first picture; `ready` is an additional condition."""
        # In the process that will show the page, so that the process start does not count.
        await self.page.goto(f"{self.address}/mark.svg")
        cpu_ms, begun_s = await self.cpu_ms(), time.monotonic()
        await self.page.goto(f"{self.address}/?tenant={tenant}{view}", wait_until="commit")
        await self.until(f"window.__bench?.firstPicture != null && ({ready})")
        wall_ms = 1000 * (time.monotonic() - begun_s)
        return Opened(await self.cpu_ms() - cpu_ms, wall_ms, await self.probe("drawn()"))

    async def probe(self, expression: str) -> Any:
        """Return the value of an expression of the page's test probe."""
        return await self.page.evaluate(f"window.__mnemoscene.{expression}")

    async def until(self, condition: str, *, every_ms: int = 20) -> None:
        """Wait for a condition on the page, polling inside the page."""
        looking = f"""async () => {{
            const end = Date.now() + {1000 * _WAIT_S};
            while (!({condition})) {{
                if (Date.now() > end) return false;
                await new Promise((again) => setTimeout(again, {every_ms}));
            }}
            return true;
        }}"""
        assert await self.page.evaluate(looking), f"never came true: {condition}"

    async def quiet(self, seconds: float = 1.0) -> None:
        """Wait until nothing is drawn any more."""
        await self.until(
            "(performance.now() - (window.__bench.draws.findLast(([name]) => name !== 'over')?.[1] ?? 0))"
            f" > {1000 * seconds}"
        )

    async def frames(self, deed: Callable[[int], Awaitable[None]], *, count: int = 60) -> Frames:
        """Return the CPU of each action with the frame that shows it."""
        costs: list[float] = []
        before = await self.cpu_ms()
        for number in range(count):
            await deed(number)
            await self.page.evaluate(_NEXT_FRAME)
            now = await self.cpu_ms()
            costs.append(now - before)
            before = now
        # The first ones warm up caches, as a user's first movements do.
        return Frames(statistics.median(costs[5:]), quantile(costs[5:], 0.95))

    async def pan(self) -> Frames:
        """Drag the background to and fro."""
        at = await self._empty_spot()
        await self.page.mouse.move(at["x"], at["y"])
        await self.page.mouse.down()
        mouse = self.page.mouse
        found = await self.frames(lambda n: mouse.move(at["x"] + 6 * (n % 20), at["y"] + 4 * (n % 15)))
        await self.page.mouse.up()
        await self.quiet()
        return found

    async def zoom(self) -> Frames:
        """Turn the wheel to and fro."""
        at = await self._empty_spot()
        await self.page.mouse.move(at["x"], at["y"])
        found = await self.frames(lambda n: self.page.mouse.wheel(0, 40 if n // 10 % 2 else -40))
        await self.quiet()
        return found

    async def hover(self) -> Frames:
        """Move over all nodes without pressing."""
        box = await self.page.locator(".map:visible .big").bounding_box()
        assert box is not None
        mouse, wide, high = self.page.mouse, box["width"], box["height"]
        return await self.frames(
            lambda n: mouse.move(box["x"] + 20 + n * 53 % int(wide - 40), box["y"] + 20 + n * 37 % int(high - 40))
        )

    async def nearer(self, times: int) -> None:
        """Zoom in."""
        for _ in range(times):
            await self.page.keyboard.press("+")
            await self.quiet(0.4)

    async def scatter(self) -> None:
        """Give each node the position of another, without pins, as if another viewer had moved it."""
        await self.page.evaluate(
            """async () => {
              const at = window.__mnemoscene.positions();
              const places = Object.keys(at).filter((id) => !id.startsWith("s:"));
              const moved = places.map((id, index) => [id, [...at[places[places.length - 1 - index]], 0]]);
              const tenant = new URLSearchParams(location.search).get("tenant");
              const socket = new WebSocket(location.origin.replace("http", "ws") + "/live", "mnemoscene.v1");
              await new Promise((open) => (socket.onopen = open));
              socket.send(JSON.stringify({ t: "hello", v: 1, client: "scatter", scope: { tenant } }));
              await new Promise((greeted) => (socket.onmessage = greeted));
              for (let start = 0; start < moved.length; start += 200) {
                socket.send(JSON.stringify({ t: "place", user: null, places: moved.slice(start, start + 200) }));
                await new Promise((again) => setTimeout(again, 250));
              }
              socket.close();
            }"""
        )
        await self.page.reload()
        await self.until("window.__bench?.firstPicture != null")
        await self.quiet()

    async def delays_ms(self, canvas: str) -> list[float]:
        """Return for each received patch the time until this canvas was next drawn."""
        found = await self.page.evaluate(
            """(canvas) => {
              const draws = window.__bench.draws.filter(([name]) => name === canvas).map(([, at]) => at);
              const patches = window.__bench.frames.filter((one) => one.t === "graph_patch");
              return patches.map(({ at }) => (draws.find((one) => one > at) ?? Infinity) - at);
            }""",
            canvas,
        )
        return [float(one) for one in found if one is not None]

    async def forget_draws(self) -> None:
        """Discard the draws recorded so far."""
        await self.page.evaluate("() => { Object.assign(window.__bench, { draws: [], frames: [], opened: [] }) }")

    async def draws(self, canvas: str) -> int:
        """Return how often a canvas was drawn."""
        return int(
            await self.page.evaluate("(name) => window.__bench.draws.filter((one) => one[0] === name).length", canvas)
        )

    @contextlib.asynccontextmanager
    async def traced_tasks(self, browser: Browser) -> AsyncIterator[list[tuple[float, float]]]:
        """Record the tasks of the main thread meanwhile: CPU and real time of each in ms, filled in at the end."""
        tasks: list[tuple[float, float]] = []
        await browser.start_tracing(page=self.page, categories=["toplevel"])
        try:
            yield tasks
        finally:
            events = json.loads(await browser.stop_tracing())["traceEvents"]
        names = {(one["pid"], one["tid"]): one["args"]["name"] for one in events if one["name"] == "thread_name"}
        for one in events:
            is_main = names.get((one["pid"], one["tid"])) == "CrRendererMain"
            if is_main and one["name"].endswith("RunTask") and "tdur" in one:
                tasks.append((one["tdur"] / 1000, one["dur"] / 1000))

    async def pss_mb(self, browser: Browser) -> float:
        """Return the memory of the page's process, with shared memory counted proportionally (PSS)."""
        session = await browser.new_browser_cdp_session()
        processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
        await session.detach()
        return max((_pss_mb(one["id"]) for one in processes if one["type"] == "renderer"), default=0.0)

    async def _empty_spot(self) -> dict[str, float]:
        found = await self.page.evaluate(
            """() => {
              const big = [...document.querySelectorAll(".map .big")].find((one) => one.clientWidth > 9);
              const box = big.getBoundingClientRect();
              const points = Object.keys(window.__mnemoscene.positions()).map((id) => window.__mnemoscene.onPage(id));
              let best = null;
              for (let x = box.left + 60; x < box.right - 160; x += 23)
                for (let y = box.top + 50; y < box.bottom - 130; y += 19) {
                  const near = Math.min(...points.map((one) => Math.hypot(one.x - x, one.y - y)));
                  if (best === null || near > best.near) best = { x, y, near };
                }
              return best;
            }"""
        )
        return dict(found)


def quantile(values: list[float], share: float) -> float:
    """Return the value that this share of all values does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _pss_mb(pid: int) -> float:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


@contextlib.asynccontextmanager
async def bench_page(browser: Browser, address: str, **wishes: Any) -> AsyncIterator[BenchPage]:
    """Open a page of a browser with an empty profile."""
    context = await browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US", **wishes)
    await context.add_init_script(path=_WATCH)
    page = await context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    await page.goto(f"{address}/mark.svg")
    cdp = await context.new_cdp_session(page)
    # Of the thread, not wall-clock time, so that other load matters little.
    await cdp.send("Performance.enable", {"timeDomain": "threadTicks"})
    try:
        yield BenchPage(page, cdp, address)
    finally:
        await context.close()
    assert errors == [], json.dumps(errors)


async def paced(per_s: float, seconds: float, deed: Callable[[int], Awaitable[Any]]) -> int:
    """Act at a fixed rate; return the number of actions."""
    begun_s, number = time.monotonic(), 0
    while time.monotonic() - begun_s < seconds:
        await deed(number)
        number += 1
        await asyncio.sleep(max(0.0, begun_s + number / per_s - time.monotonic()))
    return number
