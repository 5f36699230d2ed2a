"""Test what is seen first in the browser: folded scenes, facts, the small network, the legend, search and changes."""

import json
import re
import uuid

import pytest
import pytest_asyncio
from playwright.async_api import Route, expect

from tests.viewer.watching import WAIT_MS, Watching

# A memory of its own for each run, since a test adds to it.
_TENANT = f"first-picture-{uuid.uuid4().hex[:8]}"
_TOLD = (
    "I love jasmine tea.",
    "I hate coriander.",
    "My cousin Oliver lives in Rome.",
    "I really love jasmine tea.",
    "I really do love 弹钢琴.",
)


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def memory(address: str) -> str:
    """Create a tenant with several conversations of Alice and one of Bob."""
    for turn, text in enumerate(_TOLD):
        await Watching.told(address, _TENANT, text, session=f"a{turn}")
    await Watching.told(address, _TENANT, "I love mountains.", user="bob", session="b")
    for label in ("jasmine tea", "coriander", "Oliver", "Rome", "弹钢琴", "mountains"):
        await Watching.found(address, _TENANT, label)
    return _TENANT


_ASKED_MAX = 5
_DRAWN = "Object.keys(window.__mnemoscene.positions())"
_SCENES = f"(await fetch('api/snapshot', {{headers: {{'Mnemoscene-Tenant': '{_TENANT}'}}}}).then((a) => a.json()))"


async def _scenes(viewer: Watching) -> list[str]:
    found = await viewer.page.evaluate(
        f"async () => {_SCENES}.nodes.filter((node) => node.kind === 'Scene').map((node) => node.id)"
    )
    return list(found)


async def _fact(viewer: Watching, predicate: str, label: str) -> str:
    found = await viewer.page.evaluate(
        f"""async () => {{
            const {{nodes, edges}} = {_SCENES};
            const names = Object.fromEntries(nodes.map((node) => [node.id, node.label]));
            return edges.find((edge) => edge.predicate === {json.dumps(predicate)}
                && names[edge.target].includes({json.dumps(label)})).id;
        }}"""
    )
    return str(found)


async def test_scenes_are_folded_into_a_badge_per_person_that_opens_them(viewer: Watching) -> None:
    await viewer.open("#/map")
    scenes = await _scenes(viewer)
    await viewer.until(f"{_DRAWN}.includes('s:alice') && {_DRAWN}.includes('s:bob')")
    assert not set(scenes) & set(await viewer.probe("positions()"))
    things = re.fullmatch(r"Remembers (\d+) things", await viewer.page.locator(".line .whole").inner_text())
    assert things is not None
    await expect(viewer.page.locator("footer")).to_contain_text(f"{things[1]} things, {len(scenes)} scenes, ")
    before = await viewer.probe("positions()")
    badge = await viewer.resting_place("s:alice")
    await viewer.page.mouse.click(badge["x"], badge["y"])
    await viewer.until(f"{_DRAWN}.filter((id) => {json.dumps(scenes)}.includes(id)).length >= 4")
    assert "scenes=alice" in viewer.page.url
    opened = [one for one in scenes if one in await viewer.probe("positions()")]
    await viewer.until(f"{json.dumps(opened)}.every((id) => window.__mnemoscene.bright(id))")
    after = await viewer.probe("positions()")
    assert {one: after[one] for one in before} == before, "opening scenes moves nothing"
    await viewer.page.keyboard.press("z")
    await viewer.until(f"!{_DRAWN}.some((id) => {json.dumps(scenes)}.includes(id))")
    await viewer.choose(scenes[0])
    await viewer.until(f"{_DRAWN}.includes({json.dumps(scenes[0])})")


@pytest.mark.slow
async def test_click_beside_a_thin_line_selects_its_fact(viewer: Watching) -> None:
    await viewer.open("#/map?user=alice")
    fact = await _fact(viewer, "DISLIKES", "coriander")
    thing, user = (
        await Watching.found(viewer.address, _TENANT, "coriander"),
        await Watching.found(viewer.address, _TENANT, "Alice"),
    )
    end, start = await viewer.resting_place(thing), await viewer.resting_place(user)
    dx, dy = end["x"] - start["x"], end["y"] - start["y"]
    length = (dx * dx + dy * dy) ** 0.5
    # Ten pixels beside the middle of the line.
    at = (start["x"] + dx * 0.6 - dy / length * 10, start["y"] + dy * 0.6 + dx / length * 10)
    await viewer.page.mouse.click(*at)
    await viewer.until(f"window.__mnemoscene.selection === {json.dumps(fact)}")


async def test_small_network_is_one_graph_of_people_and_things(viewer: Watching) -> None:
    await viewer.open("#/net")
    await viewer.until(f"{_DRAWN}.length > 5")
    drawn = set(await viewer.probe("positions()"))
    assert not drawn & set(await _scenes(viewer))
    assert not [one for one in drawn if one.startswith("c:")], "nothing is folded into an unnamed community"
    for label in ("jasmine tea", "Oliver", "mountains", "Alice", "Bob"):
        assert await Watching.found(viewer.address, _TENANT, label) in drawn
    await expect(viewer.page.locator("[data-community]")).to_have_text([re.compile("^Alice"), re.compile("^Bob")])
    before = await viewer.probe("positions()")
    await viewer.say("I love cycling.", session="later")
    late = await Watching.found(viewer.address, _TENANT, "cycling")
    await viewer.until(f"{_DRAWN}.includes({json.dumps(late)})")
    after = await viewer.probe("positions()")
    assert {one: after[one] for one in before} == before, "what is there stays"


async def test_search_finds_by_relation_type_and_question(viewer: Watching) -> None:
    await viewer.open("#/map?user=alice")
    box = viewer.page.get_by_role("combobox").first
    await box.fill("cousin")
    hit = viewer.page.locator('[data-group="facts"]').first
    await expect(hit).to_contain_text("Oliver", timeout=WAIT_MS)
    await box.fill("place")
    rome = viewer.page.locator('[data-group="named"]', has_text="Rome")
    await expect(rome).to_have_count(1, timeout=WAIT_MS)
    await expect(rome.locator("svg")).to_have_attribute("data-type", "place")
    meant = viewer.page.locator('[data-group="meant"]')
    for _ in range(_ASKED_MAX):
        # A service that has just started may stop its first recall as too slow; the search is optional then.
        await box.fill("")
        # This service has no embedder, so that the question shares a word with the fact; the page finds nothing by it.
        await box.fill("Where does Oliver live?")
        await viewer.until("document.querySelector('#search-hits').innerText.trim() !== 'Searching the whole memory …'")
        if await meant.filter(has_text="Rome").count():
            break
    await meant.filter(has_text="Rome").first.click()
    await viewer.until("window.__mnemoscene.selection !== null")
    await expect(viewer.page.locator("[data-panel]")).to_contain_text("Rome")


async def test_search_finds_what_was_said_and_shows_it_in_its_scene(viewer: Watching) -> None:
    page, hits = viewer.page, viewer.page.locator("#search-hits")
    await viewer.say("The weather was fine.", "We rode the carousel twice.", session="fair")
    await viewer.open("#/map")
    box, said = page.get_by_role("combobox").first, page.locator('[data-group="said"]')
    await viewer.until(
        "(await fetch('api/explore/search?q=carousel', {headers: {'Mnemoscene-Tenant':"
        f" '{viewer.tenant}'"
        "}}).then((a) => a.json())).said[0]?.scene_id"
    )
    for word, marked in (("carous", "carousel"), ("弹钢琴", "弹钢琴")):
        await box.fill(word)
        await expect(said.first.locator("mark")).to_have_text(marked)
    await box.fill("asdfgh")
    await expect(hits).to_contain_text("Nothing relevant found")
    await expect(hits.get_by_role("option")).to_have_count(0)
    await box.fill("carousel")
    await said.first.click()
    await expect(page.locator("[data-panel] figure", has_text="carousel").locator("mark")).to_have_text("carousel")


@pytest.mark.slow
async def test_failed_search_is_told_with_a_way_to_repeat_it(viewer: Watching) -> None:
    page, refuses = viewer.page, True
    refused = {"errors": [{"message": "the search was too slow"}]}
    # Not from the service, which on a busy machine may stop this search, too.
    nothing = {"data": {"recall": {"nothingRelevant": True, "hits": []}}}
    await viewer.open("#/map")

    async def answer(route: Route) -> None:
        if "recall(" in (route.request.post_data or ""):
            await route.fulfill(json=refused if refuses else nothing)
        else:
            await route.continue_()

    await page.route("**/graphql", answer)
    await page.get_by_role("combobox").first.fill("What is green and has leaves?")
    failed = page.locator("[data-search-failed]")
    await expect(failed).to_contain_text("the search was too slow", timeout=WAIT_MS)
    await expect(page.locator("#search-hits")).not_to_contain_text("Nothing relevant found")
    refuses = False
    await failed.locator('[data-act="search-again"]').click()
    await expect(page.locator("#search-hits")).to_contain_text("Nothing relevant found", timeout=WAIT_MS)
    await expect(failed).to_have_count(0)
    # Requests that are on their way are answered before the page is closed.
    await page.unroute_all(behavior="wait")


@pytest.mark.slow
async def test_legend_shows_only_one_kind_of_link_and_lenses_what_contradicts(viewer: Watching) -> None:
    await viewer.say("I hate jasmine tea.", session="contradiction", user="carol", name="Carol")
    await viewer.say("I love jasmine tea.", session="contradiction2", user="carol", name="Carol")
    await viewer.open("#/map?user=alice")
    await viewer.page.locator('[data-filter="DISLIKES"]').hover()
    await viewer.page.locator('[data-only="DISLIKES"]').click()
    hidden = await viewer.page.locator('.row[aria-pressed="false"]').evaluate_all(
        "(rows) => rows.map((row) => row.dataset.filter)"
    )
    assert {"PREFERS", "RELATES_TO", "MENTIONED"} <= set(hidden)
    assert "DISLIKES" not in hidden
    await viewer.page.locator('[data-only="DISLIKES"]').click()
    await expect(viewer.page.locator('.row[data-filter][aria-pressed="false"]')).to_have_count(0)


async def test_topic_shows_its_things_with_their_lines(viewer: Watching) -> None:
    await viewer.open("#/map?user=alice")
    oliver = await Watching.found(viewer.address, _TENANT, "Oliver")
    await viewer.page.locator('[data-filter="about:people"]').hover()
    await viewer.page.locator('[data-only="about:people"]').click()
    await viewer.until(f"{_DRAWN}.includes({json.dumps(oliver)})")
    tea = await Watching.found(viewer.address, _TENANT, "jasmine tea")
    await viewer.until(f"!{_DRAWN}.includes({json.dumps(tea)})")
    bare = await viewer.page.evaluate(
        f"""async () => {{
            const {{nodes, edges}} = {_SCENES};
            const shown = new Set(window.__mnemoscene.ids());
            const lines = edges.filter((edge) => edge.predicate !== 'MENTIONED' && shown.has(edge.id));
            const tied = new Set(lines.flatMap((edge) => [edge.source, edge.target]));
            const people = new Set(nodes.filter((node) => node.kind === 'User').map((node) => node.id));
            return {_DRAWN}.filter((id) => !id.startsWith('s:') && !people.has(id) && !tied.has(id));
        }}"""
    )
    assert bare == [], "nothing is a dot without a line"


async def test_show_on_the_map_keeps_the_zoom_and_buttons_have_words(viewer: Watching) -> None:
    await viewer.open("#/map?user=alice")
    for act, word in (("now", "Now"), ("review", "Review"), ("time", "Look back")):
        await expect(viewer.page.locator(f'[data-act="{act}"]').first).to_have_text(word)
    tea, user = [await Watching.found(viewer.address, _TENANT, label) for label in ("jasmine tea", "Alice")]
    await viewer.choose(tea)
    for _ in range(3):
        await viewer.page.keyboard.press("-")
    apart = await _apart(viewer, tea, user)
    await viewer.page.get_by_role("button", name="Show on the map").click()
    assert abs(await _apart(viewer, tea, user) - apart) < 1


async def _apart(viewer: Watching, one: str, other: str) -> float:
    await viewer.resting_place(one)
    here, there = [await viewer.probe(f"onPage({json.dumps(each)})") for each in (one, other)]
    return float(((here["x"] - there["x"]) ** 2 + (here["y"] - there["y"]) ** 2) ** 0.5)


@pytest.mark.slow
async def test_fact_says_how_often_it_was_told_by_whom_and_what_its_numbers_mean(viewer: Watching) -> None:
    await viewer.open("#/map")
    await viewer.choose(await _fact(viewer, "PREFERS", "jasmine"))
    told = viewer.page.locator("p[data-told]")
    await expect(told).to_have_text(re.compile(r"^Told (once|\d times), by Alice"), timeout=WAIT_MS)
    await viewer.page.locator("[data-meaning] summary").click()
    await expect(viewer.page.locator("[data-meaning]")).to_contain_text("Certainty: how sure the extraction is")


async def test_thing_shows_its_type_whose_it_is_and_a_quotation(viewer: Watching) -> None:
    await viewer.open(f"#/map?sel={await Watching.found(viewer.address, _TENANT, 'Rome')}")
    panel = viewer.page.locator("[data-panel]")
    await expect(panel.locator(".kind")).to_have_text("Place", timeout=WAIT_MS)
    await expect(panel.locator("[data-owner]")).to_have_text("Memory of Alice")
    quotation = panel.locator("figure").first
    await expect(quotation.locator("blockquote")).to_have_text("My cousin Oliver lives in Rome.", timeout=WAIT_MS)
    await expect(quotation.locator("figcaption b")).to_have_text("Alice")
    await expect(quotation.locator("time")).to_contain_text("1 Mar 2026")


@pytest.mark.slow
async def test_changes_are_told_by_conversation_with_time_and_author(viewer: Watching) -> None:
    await viewer.open("#/map")
    await viewer.page.keyboard.press("c")
    conversations = viewer.page.locator("[data-conversation]")
    await conversations.first.wait_for()
    tea = conversations.filter(has_text="coriander").first
    await expect(tea).to_contain_text(re.compile(r"Alice, \d\d:\d\d"))
    assert await conversations.count() >= 4
