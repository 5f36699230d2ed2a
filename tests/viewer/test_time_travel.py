"""Test time travel in the browser: both axes, playback, timeline, changes."""

import json
import re
from typing import Final
from uuid import uuid4

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.support.slow import slow_but
from tests.viewer.watching import Watching, ann_told

# A move: the first home has ended by the time of the second.
_TOLD: Final = (
    ("2024-01-10T12:00:00Z", "I live in Berlin."),
    ("2024-06-01T12:00:00Z", "I love jasmine tea."),
    # Said again, so that two scenes have one name.
    ("2024-09-10T12:00:00Z", "I love jasmine tea."),
    ("2025-03-01T12:00:00Z", "I moved to Lisbon. I live in Lisbon now."),
)


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def memory(address: str) -> str:
    """Create a tenant in which Ann stated where she lives, twice."""
    name = f"look-back-{uuid4().hex[:8]}"
    await ann_told(address, name, _TOLD, until_found=("Berlin", "jasmine tea", "Lisbon"))
    return name


_DRAWN = "Object.keys(window.__mnemoscene.positions())"


async def _named(viewer: Watching, label: str) -> str:
    return json.dumps(await Watching.found(viewer.address, viewer.tenant, label))


async def test_slider_shows_facts_by_valid_time_and_transaction_time(viewer: Watching) -> None:
    await viewer.open("#/map")
    berlin, lisbon = await _named(viewer, "Berlin"), await _named(viewer, "Lisbon")
    shown = "window.__mnemoscene.ids()"
    await viewer.until(f"{shown}.includes({berlin}) && {shown}.includes({lisbon})")
    await viewer.open("#/map?true=2024-03-01T00:00:00Z")
    await viewer.until(f"{shown}.includes({berlin}) && !{shown}.includes({lisbon})")
    entities = viewer.page.locator('[data-filter="Entity"] .n')
    assert await entities.inner_text() == "1", "the legend counts what the map shows of that time"
    slider = viewer.page.locator("[data-timebar] input")
    await slider.focus()
    await viewer.page.keyboard.press("End")
    await viewer.until(f"{shown}.includes({lisbon}) && !location.hash.includes('true=')")
    await viewer.page.locator("[data-timebar] select").select_option("known")
    await slider.focus()
    await viewer.page.keyboard.press("Home")
    await viewer.until(f"!{shown}.includes({lisbon}) && location.hash.includes('known=')")


async def test_time_before_everything_says_so_and_leads_back(viewer: Watching) -> None:
    await viewer.open("#/map?true=1990-01-01T00:00:00Z")
    await viewer.page.locator("[data-nothing-then] button").click()
    await viewer.until("window.__mnemoscene.counts.nodes > 0 && !location.hash.includes('true=')")


async def test_back_button_to_another_time_shows_the_bar_of_that_time(viewer: Watching) -> None:
    await viewer.open("#/map?true=2024-03-01T00:00:00Z")
    await viewer.choose(await Watching.found(viewer.address, viewer.tenant, "Berlin"))
    await viewer.page.locator('[data-act="time"]').click()
    await expect(viewer.page.locator("[data-timebar]")).to_have_count(0)
    await viewer.page.go_back()
    await viewer.until("location.hash.includes('true=')")
    await expect(viewer.page.locator("[data-timebar]")).to_be_visible()


@pytest.mark.parametrize("width", slow_but([1280], [1280, 390]))
async def test_slider_keeps_its_place_while_it_is_dragged_from_now(viewer: Watching, width: int) -> None:
    await viewer.page.set_viewport_size({"width": width, "height": 800})
    await viewer.open("#/map")
    await viewer.page.locator('[data-act="time"]').click()
    slider = viewer.page.locator("[data-timebar] input")
    before = await slider.bounding_box()
    assert before is not None
    middle = before["y"] + before["height"] / 2
    await viewer.page.mouse.move(before["x"] + before["width"] - 9, middle)
    await viewer.page.mouse.down()
    for share in (0.9, 0.6, 0.3):
        await viewer.page.mouse.move(before["x"] + before["width"] * share, middle)
        await viewer.until("location.hash.includes('true=')")
        await viewer.drawn()
        assert await slider.bounding_box() == before
    await viewer.page.mouse.up()
    await viewer.page.locator('[data-timebar] [data-act="now"]').click()
    await viewer.until("!location.hash.includes('true=')")
    assert await slider.bounding_box() == before


@pytest.mark.slow
async def test_summary_counts_what_the_map_shows_of_the_past(viewer: Watching) -> None:
    await viewer.open("#/map")
    things = [await _named(viewer, label) for label in ("Berlin", "jasmine tea", "Lisbon")]
    drawn = f"{_DRAWN}.filter((id) => [{', '.join(things)}].includes(id)).length"
    line = viewer.page.locator(".line")
    for moment, expected in (("2024-03-01", 1), ("2024-07-01", 2)):
        await viewer.open(f"#/map?true={moment}T00:00:00Z")
        await viewer.until(f"{drawn} === {expected}")
        noun = "thing" if expected == 1 else "things"
        await expect(line.locator(".whole")).to_have_text(f"Remembers {expected} {noun}")
        await expect(line.locator(".PREFERS")).to_have_count(expected - 1)
        await expect(viewer.page.locator('[data-filter="Entity"] .n')).to_have_text(str(expected))


async def test_scenes_of_one_name_differ_by_their_day_in_focus(viewer: Watching) -> None:
    tea = json.loads(await _named(viewer, "jasmine tea"))
    await viewer.open(f"#/map?around={tea}")
    texts = "window.__mnemoscene.labels().map((one) => one.text)"
    await viewer.until(f"{texts}.filter((text) => /(Jun|Sept) 2024$/.test(text)).length === 2")


@pytest.mark.slow
async def test_playback_shows_the_memory_growing(viewer: Watching) -> None:
    lisbon = await _named(viewer, "Lisbon")
    await viewer.open("#/map?true=2025-02-01T00:00:00Z")
    await viewer.until(f"window.__mnemoscene.counts.edges > 0 && !window.__mnemoscene.ids().includes({lisbon})")
    await viewer.page.locator('[data-act="play"]').click()
    await viewer.until(f"window.__mnemoscene.ids().includes({lisbon}) && !location.hash.includes('true=')")


@pytest.mark.slow
async def test_timeline_is_navigated_and_opened_by_keyboard(viewer: Watching) -> None:
    await viewer.open("#/map")
    await viewer.page.keyboard.press("3")
    await viewer.page.locator('[data-timeline] [tabindex="0"]').focus()
    await viewer.page.keyboard.press("ArrowDown")
    await viewer.page.keyboard.press("Enter")
    await viewer.until("window.__mnemoscene.selection !== null")
    label = await viewer.page.locator('[data-timeline] [tabindex="0"]').get_attribute("aria-label")
    assert label is not None
    assert "Ann lives in Berlin" in label


_CUT = """[...document.querySelectorAll('[data-timeline] .ruler text')].filter((one) => {
  const [box, all] = [one.getBoundingClientRect(), document.querySelector('[data-timeline]').getBoundingClientRect()];
  const names = document.querySelector('[data-timeline] .names').getBoundingClientRect();
  return (box.left < names.right && box.right > names.left) || (box.left < all.right && box.right > all.right);
}).map((one) => one.textContent)"""


# Texts of facts that reach over the right edge of the timeline, or under the names at its left.
_OVER_THE_EDGE = """[...document.querySelectorAll('[data-timeline] [data-id] text')].filter((one) => {
  // A nested drawing shows what is in it only.
  const seen = one.parentElement.localName === 'svg' ? one.parentElement : one;
  const all = document.querySelector('[data-timeline] > svg').getBoundingClientRect();
  const nested = () => all.left + seen.x.baseVal.value + seen.width.baseVal.value;
  const right = seen === one ? one.getBoundingClientRect().right : nested();
  return right > all.right + 1;
}).map((one) => one.textContent)"""


# Texts of facts for which there is no room, and which are not clipped after a letter and before an ellipsis.
_CUT_OFF = """[...document.querySelectorAll('[data-timeline] [data-id] svg')].filter((one) => {
  const [text, width] = [one.firstElementChild, one.width.baseVal.value];
  const lengths = [...text.textContent].map((_, at) => text.getSubStringLength(0, at));
  return one.nextElementSibling?.textContent !== '…' || !lengths.some((length) => Math.abs(length - width) < 2);
}).map((one) => one.textContent)"""


async def test_ticks_are_on_the_calendar_and_whole_at_any_width_and_zoom(viewer: Watching) -> None:
    await viewer.open("#/time")
    for width in (1280, 820, 390):
        await viewer.page.set_viewport_size({"width": width, "height": 800})
        for _ in range(3):
            await viewer.until("document.querySelectorAll('[data-timeline] .ruler text').length > 0")
            await viewer.drawn()
            labels = await viewer.page.locator("[data-timeline] .ruler text").all_text_contents()
            assert all(
                re.fullmatch(r"\d{4}|[A-Z][a-z]{2,3} \d{4}|\d{1,2} [A-Z][a-z]{2,3}( \d{4})?", one) for one in labels
            ), labels
            assert await viewer.page.evaluate(_CUT) == []
            assert await viewer.page.evaluate(_OVER_THE_EDGE) == []
            assert await viewer.page.evaluate(_CUT_OFF) == []
            await viewer.page.keyboard.press("+")


async def test_changes_are_listed_and_link_to_the_fact(viewer: Watching) -> None:
    await viewer.open("#/map")
    await viewer.page.keyboard.press("c")
    lines = viewer.page.locator("[data-feed] li button")
    await lines.filter(has_text="jasmine tea").first.wait_for()
    await lines.filter(has_text="Ann loves jasmine tea").first.click()
    await viewer.until("window.__mnemoscene.selection !== null")
