"""Test that axe-core finds no serious problem in any view, theme and language."""

import uuid
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import pytest_asyncio

from tests.support.slow import slow_but
from tests.viewer.watching import Watching

AXE: Final = Path(__file__).parents[2] / "web_viewer" / "node_modules" / "axe-core" / "axe.min.js"
_SERIOUS: Final = ("serious", "critical")


@pytest.fixture(scope="module")
def axe() -> str:
    """Return the source of axe-core, a development dependency of the viewer that is not shipped."""
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: barriers were not looked for (npm ci in web_viewer)")
    return AXE.read_text("utf-8")


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def memory(address: str) -> str:
    name = f"accessibility-{uuid.uuid4().hex[:8]}"
    for turn, text in enumerate(("I love jasmine tea.", "I hate coriander.", "I really do love 弹钢琴.")):
        await Watching.told(address, name, text, session=f"s{turn}")
    await Watching.found(address, name, "jasmine tea")
    return name


async def _ask(viewer: Watching) -> None:
    """Ask as an agent does."""
    query = '{ recall(userId: "alice", query: "Which tea does she love?") { hits { id } } }'
    async with httpx.AsyncClient(timeout=60, headers={"Mnemoscene-Tenant": viewer.tenant}) as client:
        assert "errors" not in (await client.post(f"{viewer.address}/graphql", json={"query": query})).json()


@pytest.mark.parametrize(
    ("theme", "lang", "width"),
    slow_but(
        [("light", "en", 1280), ("dark", "zh", 390)],
        [("light", "en", 1280), ("dark", "zh", 390), ("dark", "en", 1280), ("light", "zh", 390)],
    ),
)
async def test_every_view_has_no_serious_accessibility_problem(
    viewer: Watching, axe: str, theme: str, lang: str, width: int
) -> None:
    await viewer.page.set_viewport_size({"width": width, "height": 800})
    await viewer.page.add_init_script(
        f"localStorage.setItem('mnemoscene:theme', '{theme}'); localStorage.setItem('mnemoscene:lang', '{lang}')"
    )
    thing = await Watching.found(viewer.address, viewer.tenant, "jasmine tea")
    alice = await Watching.found(viewer.address, viewer.tenant, "Alice")
    await viewer.open("#/map")
    await viewer.page.evaluate(axe)
    found: list[dict[str, Any]] = []
    for view in ("map", "net", "time", "map?side=now", "map?side=review", f"net?sel={alice}", f"list?sel={thing}"):
        await viewer.page.evaluate(f"location.hash = '#/{view}'")
        await viewer.until(f"window.__mnemoscene.tab === '{view.partition('?')[0]}'")
        if "side=" in view:
            side = view.partition("side=")[2]
            await viewer.until(f"document.querySelector('[data-{side}] article') !== null")
        if view.startswith("list"):
            # Edit mode, with the corrections of what is selected and the list of those made.
            await viewer.page.locator('[data-act="correct"]').click()
            await viewer.page.locator("[data-correct]").wait_for()
            await viewer.page.locator('[data-act="corrected"]').click()
        elif "now" in view:
            await _ask(viewer)
            await viewer.page.locator("[data-question]").first.wait_for()
            await viewer.page.locator("[data-ask-text]").fill("Which tea does she love?")
            await viewer.page.locator("[data-ask-text]").press("Enter")
            await viewer.page.locator("[data-answer]").wait_for()
        elif view == "map":
            await viewer.page.keyboard.press("a")
            await viewer.page.locator("[data-ambient]").wait_for()
        elif "sel=" in view:
            await viewer.page.locator("[data-portrait]").wait_for()
        found += await viewer.page.evaluate(
            "axe.run(document, {resultTypes: ['violations']}).then((all) => all.violations)"
        )
        if view == "map":
            await viewer.page.keyboard.press("a")
    barriers = {(one["id"], one["nodes"][0]["html"][:120]) for one in found if one["impact"] in _SERIOUS}
    assert barriers == set()
