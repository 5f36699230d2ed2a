"""Test exports of the view: link, picture, drawing, data."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4
from xml.etree import ElementTree

import networkx
import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.viewer.watching import Watching

_SVG = "{http://www.w3.org/2000/svg}"
_CANARY = '<img src=x onerror="window.pwned=1">cake & 茶'


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def viewer(browser: Browser, address: str) -> AsyncIterator[Watching]:
    """Open one page for all tests, on a memory with a name that contains markup."""
    name = f"take-along-{uuid4().hex[:8]}"
    await Watching.told(address, name, "I love jasmine tea.", "I hate coriander.", user="ann", name=_CANARY)
    await Watching.told(address, name, "I really do love 弹钢琴.", user="ann", session="s2", name=_CANARY)
    for label in ("jasmine", "coriander", "弹钢琴"):
        await Watching.found(address, name, label)
    async with Watching.page_of(browser, address, name) as watching:
        await watching.open("#/map?user=ann")
        await watching.until("window.__mnemoscene.counts.edges >= 3")
        yield watching


async def _saved(viewer: Watching, form: str, folder: Path) -> Path:
    if await viewer.page.locator("[data-export]").count() == 0:
        await viewer.page.keyboard.press("x")
    async with viewer.page.expect_download() as coming:
        await viewer.page.locator(f'[data-export-as="{form}"]').click()
    file = folder / (await coming.value).suggested_filename
    await (await coming.value).save_as(file)
    return file


async def test_graphml_of_the_view_opens_in_networkx(viewer: Watching, tmp_path: Path) -> None:
    graph = networkx.read_graphml(await _saved(viewer, "graphml", tmp_path))
    shown = await viewer.probe("counts")
    assert (len(graph.nodes), len(graph.edges)) == (shown["nodes"], shown["edges"])
    labels = {found["label"] for _, found in graph.nodes(data=True)}
    assert {_CANARY, "jasmine tea", "弹钢琴"} <= labels
    weights = [found["weight"] for _, _, found in graph.edges(data=True)]
    assert all(0 <= weight <= 1 for weight in weights)


@pytest.mark.slow
async def test_json_of_the_view_has_its_elements_and_filters(viewer: Watching, tmp_path: Path) -> None:
    await viewer.open("#/list?user=ann&hide=MENTIONED,Scene&sure=0.2")
    await viewer.until("window.__mnemoscene.counts.edges >= 3")
    told = json.loads((await _saved(viewer, "json", tmp_path)).read_text("utf-8"))
    ids = sorted(one["id"] for one in [*told["nodes"], *told["edges"]])
    assert ids == await viewer.probe("ids()")
    assert told["filters"]["hidden"] == ["MENTIONED", "Scene"]
    assert told["filters"]["sure"] == 0.2
    assert all("x" in node for node in told["nodes"])


async def test_svg_has_names_as_text_and_nothing_executable(viewer: Watching, tmp_path: Path) -> None:
    for view in ("map", "net", "time"):
        await viewer.open(f"#/{view}?user=ann")
        await viewer.until("window.__mnemoscene.counts.edges >= 3")
        if view == "net":
            await viewer.until("Object.keys(window.__mnemoscene.positions()).length > 3")
        root = ElementTree.parse(await _saved(viewer, "svg", tmp_path)).getroot()
        names = {tag.tag.removeprefix(_SVG) for tag in root.iter()}
        drawn = {"svg", "title", "rect", "g", "path", "ellipse", "polygon", "polyline", "circle", "line", "text"}
        assert names <= drawn, view
        said = " ".join(text.text or "" for text in root.iter(f"{_SVG}text"))
        assert "弹钢琴" in said, view
        if view != "time":
            counted = re.search(r"\d+ things, .*\d+ links", await viewer.page.locator("footer").inner_text())
            assert counted is not None
            assert counted[0] in said, "the picture counts as the page does"
        assert not any(name.startswith("on") for tag in root.iter() for name in tag.attrib)


@pytest.mark.slow
async def test_png_shows_more_than_the_background(viewer: Watching, tmp_path: Path) -> None:
    await viewer.open("#/map?user=ann")
    await viewer.until("window.__mnemoscene.counts.edges >= 3")
    found = (await _saved(viewer, "png", tmp_path)).read_bytes()
    assert found.startswith(b"\x89PNG")
    assert len(found) > 10_000, "an empty picture is smaller"
    assert await viewer.page.evaluate("window.pwned") is None


async def test_link_opens_the_same_view_with_selection_filters_and_time(viewer: Watching) -> None:
    tea = await Watching.found(viewer.address, viewer.tenant, "jasmine")
    await viewer.page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=viewer.address)
    await viewer.open(f"#/net?user=ann&hide=DISLIKES&sure=0.1&true=2026-04-01T00:00:00Z&veil=gone&sel={tea}")
    await viewer.page.keyboard.press("x")
    await viewer.page.locator('[data-export-as="link"]').click()
    await viewer.page.locator("[data-export] [role=status]").filter(has_text="Copied").wait_for()
    copied = await viewer.page.evaluate("navigator.clipboard.readText()")
    shown = await viewer.probe("ids()")
    await viewer.page.goto("about:blank")
    await viewer.page.goto(copied)
    await viewer.until("window.__mnemoscene?.state === 'live' && window.__mnemoscene.epoch !== null")
    await viewer.until(f"window.__mnemoscene.selection === {json.dumps(tea)}")
    assert await viewer.probe("tab") == "net"
    assert await viewer.probe("ids()") == shown
    for part in ("hide=DISLIKES", "sure=0.1", "true=2026-04-01", "veil=gone"):
        assert part in viewer.page.url
