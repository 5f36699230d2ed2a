"""Test the viewer by keyboard, without motion, by touch, and on a first visit."""

import json
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
import pytest_asyncio
from playwright.async_api import Browser, CDPSession, Page, expect

from tests.support.slow import slow_but
from tests.viewer.watching import WAIT_MS, Watching

_WHERE = "document.activeElement?.closest('[data-panel], [data-export], .map, .list, [role=search]') !== null"
# The canvas of the pulses, on which only rings around changes are drawn.
_RINGS = """[...document.querySelectorAll('.map > canvas')].some((canvas) => canvas.clientWidth > 200 && canvas ===
  canvas.parentElement.querySelectorAll(':scope > canvas')[2] &&
  canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0))"""
_SMALL = """[...document.querySelectorAll('button, select, input')]
  .filter((one) => one.checkVisibility() && one.getBoundingClientRect().width > 1)
  .filter((one) => one.getBoundingClientRect().height < 43.5)
  .map((one) => `${one.className} ${one.outerHTML.slice(0, 90)} ${one.getBoundingClientRect().height}`)"""


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def memory(address: str) -> str:
    """Create a tenant with a few facts about Alice."""
    name = f"for-everyone-{uuid4().hex[:8]}"
    for turn, text in enumerate(
        ("I love jasmine tea.", "I work at Acme.", "I hate coriander.", "I really do love 弹钢琴.")
    ):
        await Watching.told(address, name, text, session=f"s{turn}")
    for label in ("jasmine tea", "Acme", "coriander", "弹钢琴"):
        await Watching.found(address, name, label)
    return name


@pytest_asyncio.fixture(loop_scope="session")
async def phone(browser: Browser, address: str, memory: str) -> AsyncIterator[Watching]:
    """Open a narrow page with touch input."""
    size = {"width": 360, "height": 760}
    context = await browser.new_context(viewport=size, has_touch=True, is_mobile=True, locale="zh-CN")
    page = await context.new_page()
    yield Watching(page, address, memory)
    await context.close()


async def _find(viewer: Watching, text: str) -> str:
    """Search by keyboard and choose the first hit."""
    await viewer.page.keyboard.press("/")
    await viewer.page.keyboard.type(text)
    await viewer.page.get_by_role("option", name=text).first.wait_for()
    await viewer.page.keyboard.press("Enter")
    found = await Watching.found(viewer.address, viewer.tenant, text)
    await viewer.until(f"window.__mnemoscene.selection === {json.dumps(found)}")
    await viewer.until(_WHERE)
    return found


async def _tab_to(page: Page, selector: str) -> None:
    for _ in range(60):
        if await page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"{selector} cannot be reached by Tab")


async def test_search_evidence_path_and_export_work_without_a_mouse(viewer: Watching) -> None:
    await viewer.open("#/map?user=alice")
    keys, panel = viewer.page.keyboard, viewer.page.locator("[data-panel]")
    tea = await _find(viewer, "jasmine")
    await _tab_to(viewer.page, "[data-fact]")
    await keys.press("Enter")
    await expect(panel.locator("mark").first).to_contain_text("jasmine tea", timeout=WAIT_MS)
    await _tab_to(viewer.page, ".chip")
    await keys.press("Tab")
    await keys.press("Enter")
    await viewer.until(f"window.__mnemoscene.selection === {json.dumps(tea)}")
    await keys.press("p")
    await _find(viewer, "Acme")
    await keys.press("p")
    await expect(viewer.page.locator("[data-trail]")).to_contain_text("jasmine tea", timeout=WAIT_MS)
    await keys.press("x")
    await _tab_to(viewer.page, '[data-export-as="json"]')
    async with viewer.page.expect_download() as coming:
        await keys.press("Enter")
    assert (await coming.value).suggested_filename.endswith(".json")
    await keys.press("Escape")
    await viewer.until(f"!document.querySelector('[data-export]') && {_WHERE}")


@pytest.mark.slow
async def test_context_menu_of_a_node_opens_and_works_by_keyboard(viewer: Watching) -> None:
    await viewer.open("#/map?user=alice")
    keys = viewer.page.keyboard
    tea = await _find(viewer, "jasmine")
    await keys.press("Escape")
    await viewer.until("document.activeElement.classList.contains('map')")
    await keys.press("Shift+F10")
    menu = viewer.page.get_by_role("menu", name="jasmine tea")
    await expect(menu.get_by_role("menuitem", name="Details")).to_be_focused()
    await keys.press("ArrowDown")
    await keys.press("ArrowDown")
    await keys.press("Enter")
    await viewer.until(f"location.hash.includes('around={tea}')")
    await expect(menu).to_have_count(0)
    await keys.press("z")
    place = await viewer.resting_place(tea)
    await viewer.page.mouse.click(place["x"], place["y"], button="right")
    await expect(menu).to_be_visible()
    await keys.press("Escape")
    await expect(menu).to_have_count(0)
    assert await viewer.probe("selection") is None


async def test_list_and_map_show_the_same_nodes_and_edges(viewer: Watching) -> None:
    # The list has every scene; the map has them too once the badge of the person is opened.
    await viewer.open("#/map?scenes=alice")
    await viewer.until("Object.keys(window.__mnemoscene.positions()).length > 3")
    await viewer.until("window.__mnemoscene.drawn().edges === window.__mnemoscene.counts.edges")
    shown = set(await viewer.probe("ids()"))
    drawn = await viewer.probe("drawn()")
    on_map = set(await viewer.probe("positions()"))
    assert "s:alice" in on_map, "the badge stays, to fold the scenes again"
    assert on_map - {"s:alice"} <= shown
    assert drawn["nodes"] == len(on_map)
    assert drawn["nodes"] - 1 + drawn["edges"] == len(shown)
    await viewer.page.keyboard.press("4")
    await viewer.page.locator(".list [data-id]").first.wait_for()
    rows = await viewer.page.evaluate(
        "[...document.querySelectorAll('.list [data-id]')].flatMap(({dataset}) => [dataset.id, dataset.target])"
    )
    assert {one for one in rows if one is not None} == shown


@pytest.mark.parametrize("motion", slow_but(["no-preference"], ["no-preference", "reduce"]))
async def test_changes_pulse_only_if_motion_is_allowed(
    browser: Browser, address: str, tenant: str, motion: str
) -> None:
    own = f"{tenant}-{motion}"
    await Watching.told(address, own, "I love jasmine tea.")
    await Watching.found(address, own, "jasmine tea")
    async with Watching.page_of(browser, address, own) as viewer:
        await viewer.page.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]  one of two words
        await viewer.open("#/map")
        await viewer.until("Object.keys(window.__mnemoscene.positions()).length > 1")
        await viewer.page.evaluate(
            f"""() => {{
              window.ringed = false;
              const look = () => {{ window.ringed ||= {_RINGS}; requestAnimationFrame(look); }};
              look();
            }}"""
        )
        await viewer.say("I love mountains.", session="s2")
        await viewer.until("window.__mnemoscene.newIds().length > 0")
        if motion == "no-preference":
            await viewer.until("window.ringed")
            return
        await viewer.until("document.title.startsWith('(')")
        assert await viewer.page.evaluate("document.getAnimations().length") == 0
        await viewer.page.keyboard.press("+")
        two_frames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        user = await Watching.found(address, own, "Alice")
        at_once = await viewer.page.evaluate(f"{two_frames}.then(() => window.__mnemoscene.onPage('{user}'))")
        assert await viewer.resting_place(user) == at_once, "the map is where it goes without a way there"
        assert await viewer.page.evaluate("window.ringed") is False


async def _fingers(cdp: CDPSession, what: str, *places: tuple[float, float]) -> None:
    points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
    await cdp.send("Input.dispatchTouchEvent", {"type": what, "touchPoints": points})


async def test_touch_supports_tap_long_press_and_pinch_zoom(phone: Watching) -> None:
    await phone.open("#/map?user=alice")
    tea = await Watching.found(phone.address, phone.tenant, "jasmine tea")
    cdp = await phone.page.context.new_cdp_session(phone.page)
    at = await phone.resting_place(tea)
    await _fingers(cdp, "touchStart", (at["x"], at["y"]))
    await expect(phone.page.locator("[data-menu]")).to_be_visible()
    await _fingers(cdp, "touchEnd")
    assert await phone.probe("selection") is None, "holding a thing does not open it"
    await phone.page.locator('[data-menu-item="ego"]').tap()
    await phone.until(f"location.hash.includes('around={tea}')")
    at = await phone.resting_place(tea)
    await phone.page.touchscreen.tap(at["x"], at["y"])
    await phone.until(f"window.__mnemoscene.selection === {json.dumps(tea)}")
    await phone.page.locator("[data-panel] .icon").first.tap()
    await phone.until("window.__mnemoscene.selection === null")
    apart = """(() => {
      const [one, other] = Object.keys(window.__mnemoscene.positions()).map((id) => window.__mnemoscene.onPage(id));
      return Math.hypot(one.x - other.x, one.y - other.y);
    })()"""
    before = await phone.page.evaluate(apart)
    await _fingers(cdp, "touchStart", (170, 400), (190, 400))
    for wider in range(10, 80, 10):
        await _fingers(cdp, "touchMove", (170 - wider, 400), (190 + wider, 400))
    await _fingers(cdp, "touchEnd")
    await phone.until(f"{apart} > 1.5 * {before}")
    assert await phone.page.evaluate("visualViewport.scale") == 1, "the map comes nearer, not the page"


@pytest.mark.slow
async def test_touch_targets_are_large_enough(phone: Watching) -> None:
    tea = await Watching.found(phone.address, phone.tenant, "jasmine tea")
    for view in (f"list?sel={tea}", "map", "net", "time", "map?known=2026-03-01T12:00:00Z"):
        await phone.open(f"#/{view}")
        assert await phone.page.evaluate(_SMALL) == [], view
        overflow = await phone.page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert overflow <= 0, f"{view} is wider than the window"
    await phone.page.get_by_role("button", name="筛选").tap()
    assert await phone.page.evaluate(_SMALL) == []


@pytest.mark.slow
async def test_phone_leaves_most_of_its_height_to_the_memory(phone: Watching) -> None:
    await phone.page.set_viewport_size({"width": 390, "height": 844})
    await phone.open("#/map")
    await phone.page.locator("[data-hints]").wait_for()
    top = "document.querySelector('.map').getBoundingClientRect().top"
    assert await phone.page.evaluate(top) <= 250, "with the hints of the first visit"
    await phone.page.locator("[data-hints] button").tap()
    assert await phone.page.evaluate(top) <= 170
    height = await phone.page.evaluate("document.querySelector('.map').getBoundingClientRect().height")
    assert height >= 844 * 0.75
    under_tools = """Object.keys(window.__mnemoscene.positions()).filter((id) => {
      const at = window.__mnemoscene.onPage(id);
      return document.elementFromPoint(at.x, at.y)?.closest('.tools');
    })"""
    await phone.until(f"{under_tools}.length === 0")


async def test_phone_shows_a_selected_thing_above_its_details(phone: Watching) -> None:
    await phone.page.set_viewport_size({"width": 390, "height": 844})
    await phone.open("#/map?user=alice")
    tea = await Watching.found(phone.address, phone.tenant, "jasmine tea")
    await phone.choose(tea)
    await phone.page.locator("[data-panel] h2").wait_for()
    at = await phone.resting_place(tea)
    seen = f"Boolean(document.elementFromPoint({at['x']}, {at['y']})?.closest('.map'))"
    assert await phone.page.evaluate(seen), "the details leave room for what they are about"
    assert not await phone.page.locator("[data-panel]").evaluate("(one) => one.getBoundingClientRect().top > 500")


# The columns of pixels at the left and right edge of the canvas on which sectors are painted, and all of them.
_SECTORS = """(() => {
  const canvas = document.querySelector('.map > canvas');
  const some = (x, w) => canvas.getContext('2d').getImageData(x, 0, w, canvas.height).data.some((value) => value > 0);
  return [some(0, canvas.width), some(0, 1) || some(canvas.width - 1, 1)];
})()"""


async def test_no_sector_is_cut_at_the_edge_of_a_phone(phone: Watching) -> None:
    for width in (360, 390):
        await phone.page.set_viewport_size({"width": width, "height": 760})
        await phone.open("#/map?user=alice")
        await phone.resting_place(await Watching.found(phone.address, phone.tenant, "jasmine tea"))
        await phone.until(f"String({_SECTORS}) === 'true,false'")


@pytest.mark.slow
async def test_empty_memory_fits_a_narrow_window(phone: Watching) -> None:
    empty = Watching(phone.page, phone.address, f"{phone.tenant}-nobody")
    await empty.open()
    await empty.until_shown(f"mnemoscene --tenant {empty.tenant} remember")
    for part in ("header", "main", "footer"):
        assert (await phone.page.locator(part).first.bounding_box() or {}).get("width") == 360, part


@pytest.mark.parametrize(
    ("lang", "words"), slow_but([("zh", "按 / 搜索")], [("en", "Press / to search"), ("zh", "按 / 搜索")])
)
async def test_first_visit_hints_disappear_for_good_once_dismissed(viewer: Watching, lang: str, words: str) -> None:
    await viewer.page.add_init_script(f"try {{ localStorage['mnemoscene:lang'] = '{lang}' }} catch {{}}")
    await viewer.open("#/map")
    hints = viewer.page.locator("[data-hints]")
    await expect(hints).to_contain_text(words)
    await hints.locator("button").press("Enter")
    await expect(hints).to_have_count(0)
    await viewer.open("#/list")
    await viewer.until_shown("jasmine tea")
    await expect(hints).to_have_count(0)
