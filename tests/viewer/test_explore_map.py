"""Test exploring in the browser: search, paths, filters, undo."""

import json
import re
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from graph_service.graph.store import Graph
from tests.support.graph_writer import Edge, GraphWriter
from tests.support.slow import slow_but
from tests.viewer.watching import LOOKS_MAX, REMEMBER, WAIT_MS, Watching


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def memory(address: str) -> str:
    """Create a tenant with a few messages of Alice and Bob, in both languages."""
    name = f"explore-map-{uuid4().hex[:8]}"
    for user, texts in {
        "alice": ("I love jasmine tea.", "I hate coriander.", "I work at Acme.", "I really do love 弹钢琴."),
        "bob": ("I love mountains.",),
    }.items():
        for turn, text in enumerate(texts):
            await Watching.told(address, name, text, user=user, session=f"{user}-{turn}")
    return name


async def _named(viewer: Watching, label: str) -> str:
    return await Watching.found(viewer.address, viewer.tenant, label)


@pytest.mark.parametrize(
    ("typed", "label"), slow_but([("弹钢", "弹钢琴")], [("jasm", "jasmine tea"), ("弹钢", "弹钢琴")])
)
async def test_search_loads_entities_that_are_not_on_the_map(viewer: Watching, typed: str, label: str) -> None:
    await viewer.open("#/map?user=bob")
    found = json.dumps(await _named(viewer, label))
    await viewer.open("#/map")
    await viewer.page.keyboard.press("/")
    await viewer.page.keyboard.type(typed)
    await viewer.page.get_by_role("option", name=label).first.wait_for()
    await viewer.page.keyboard.press("Enter")
    await viewer.until(f"window.__mnemoscene.selection === {found}")
    place = await viewer.resting_place(json.loads(found))
    panel = await viewer.page.locator("[data-panel]").bounding_box()
    assert panel is not None
    assert 212 < place["x"] < panel["x"], "what was found stands beside its details"


async def test_thirty_people_are_counted_whole_where_a_part_is_loaded(
    graph: Graph, browser: Browser, address: str
) -> None:
    writer = GraphWriter(graph, f"thirty-{uuid4().hex[:8]}")
    for n in range(30):
        user = f"person{n:02d}"
        things = [f"{user}-thing{k}" for k in range(19)]
        # Two likings are among the strongest facts, which the page loads; the other two are not.
        likes = [Edge(user, "PREFERS", one, strength=0.95 if k < 2 else 0.1) for k, one in enumerate(things[:4])]
        others = [Edge(user, "RELATES_TO", one, relation="has", strength=0.8) for one in things[4:]]
        await writer.put(user=user, nodes={user: "User"} | dict.fromkeys(things, "Entity"), edges=likes + others)
    async with Watching.page_of(browser, address, writer.tenant) as viewer:
        await viewer.open("#/list")
        rows = viewer.page.locator(".row.d1", has_text=re.compile("^likes"))
        await expect(rows.first).to_contain_text("2 of 4 loaded", timeout=WAIT_MS)
        await expect(viewer.page.locator(".line .PREFERS")).to_have_text("likes 120")
        await expect(viewer.page.locator('[data-filter="Entity"] .n')).to_have_text("570")
        await expect(viewer.page.locator('[data-filter="RELATES_TO"] .n')).to_have_text("450")


_PLACES = "Object.keys(window.__mnemoscene.positions()).map((id) => [id, window.__mnemoscene.onPage(id)])"


@pytest.mark.parametrize("view", slow_but(["map"], ["map", "net"]))
async def test_selection_moves_the_map_only_from_under_its_details_and_closing_restores_it(
    viewer: Watching, view: str
) -> None:
    page = viewer.page
    await viewer.open(f"#/{view}?user=alice")
    tea = await _named(viewer, "jasmine")
    await viewer.until("Object.keys(window.__mnemoscene.positions()).length > 3")
    await viewer.resting_place(tea)
    # Pull the map until the thing is where the details will be.
    ground = {"x": 260, "y": 640}
    await page.mouse.move(ground["x"], ground["y"])
    await page.mouse.down()
    at = (await viewer.probe(f"onPage({json.dumps(tea)})"))["x"]
    await page.mouse.move(ground["x"] + 1150 - at, ground["y"], steps=4)
    await page.mouse.up()
    await viewer.resting_place(tea)
    before = dict(await page.evaluate(_PLACES))
    await viewer.choose(tea)
    panel = await page.locator("[data-panel]").bounding_box()
    assert panel is not None
    assert before[tea]["x"] > panel["x"]
    await viewer.until(f"window.__mnemoscene.onPage({json.dumps(tea)}).x < {panel['x'] - 20}")
    await viewer.resting_place(tea)
    after = dict(await page.evaluate(_PLACES))
    moved = {(round(after[one]["x"] - at["x"], 2), round(after[one]["y"] - at["y"], 2)) for one, at in before.items()}
    assert len(moved) == 1, "the zoom stays"
    ((right, down),) = moved
    assert (down, panel["x"] - 100 < before[tea]["x"] + right) == (0, True), "no further than needed"
    # What is in sight is selected without moving anything.
    other = min(after, key=lambda one: abs(after[one]["x"] - 560))
    await viewer.choose(other)
    await viewer.resting_place(tea)
    assert dict(await page.evaluate(_PLACES)) == after
    await page.keyboard.press("Escape")
    await viewer.until("window.__mnemoscene.selection === null")
    await viewer.until(f"Math.abs(window.__mnemoscene.onPage({json.dumps(tea)}).x - {before[tea]['x']}) < 1")
    restored = dict(await page.evaluate(_PLACES))
    assert all(abs(restored[one][axis] - at[axis]) < 1 for one, at in before.items() for axis in ("x", "y"))


async def test_search_shows_more_than_the_first_twelve_hits(browser: Browser, address: str, tenant: str) -> None:
    given = [{"subject": "user", "predicate": "PREFERS", "object": f"notebook {n}"} for n in range(20)]
    facts = [{**fact, "statement": f"Alice likes {fact['object']}."} for fact in given]
    message = {"role": "USER", "text": "I like all my notebooks."}
    call = {"userId": "alice", "sessionId": "s", "messages": [message], "facts": facts}
    async with httpx.AsyncClient(timeout=60, headers={"Mnemoscene-Tenant": tenant}) as client:
        answer = await client.post(f"{address}/graphql", json={"query": REMEMBER, "variables": {"input": call}})
    assert "errors" not in answer.json(), answer.text
    await Watching.found(address, tenant, "notebook 19")
    async with Watching.page_of(browser, address, tenant) as viewer:
        await viewer.open("#/map")
        await viewer.page.get_by_role("combobox").first.fill("notebook")
        hits = viewer.page.locator('[data-group="named"]')
        await expect(hits).to_have_count(12, timeout=WAIT_MS)
        await viewer.page.locator('[data-more="named"]').click()
        await expect(viewer.page.locator('[data-more="named"]')).to_have_count(0)
        # The scene, whose name has the word too, follows them.
        listed = [text.split("\n")[0] for text in await hits.all_inner_texts()]
        assert set(listed) >= {fact["object"] for fact in given}
        await hits.nth(15).click()
        await expect(viewer.page.locator("[data-panel] h2")).to_have_text(listed[15])


async def test_no_label_lies_under_the_tools(viewer: Watching) -> None:
    page = viewer.page
    await viewer.open("#/map?user=alice")
    at = await viewer.resting_place(await _named(viewer, "jasmine"))
    tools = await page.locator(".map .tools").first.bounding_box()
    assert tools is not None
    # Pull the map until the thing is so close to the tools that a label below it would reach under them.
    start, goal = (at["x"], at["y"] - 60), (tools["x"] - 24, tools["y"] + 20)
    await page.mouse.move(*start)
    await page.mouse.down()
    await page.mouse.move(start[0] + goal[0] - at["x"], start[1] + goal[1] - at["y"], steps=4)
    await page.mouse.up()
    box = json.dumps({key: tools[key] for key in ("x", "y", "width", "height")})
    await viewer.until(f"""(() => {{
      const [tools, all] = [{box}, window.__mnemoscene.labels().filter((one) => one.text !== 'Alice')];
      const tea = all.find((one) => one.text.includes('jasmine'));
      return tea && Math.abs(tea.x + tea.w - tools.x) < 120 && all.every((one) => one.x + one.w < tools.x
        || one.y > tools.y + tools.height || one.y + one.h < tools.y);
    }})()""")


@pytest.mark.slow
async def test_path_is_shown_as_a_sentence_with_alternatives(viewer: Watching) -> None:
    await viewer.open("#/map?user=alice")
    tea, acme = await _named(viewer, "jasmine"), await _named(viewer, "Acme")
    for end in (tea, acme):
        await viewer.choose(end)
        await viewer.page.keyboard.press("p")
    trail = viewer.page.locator("[data-trail]")
    await viewer.until("document.querySelector('[data-trail]')?.innerText.includes('jasmine tea')")
    assert "Acme" in await trail.inner_text()
    assert f"from={tea}" in viewer.page.url
    await viewer.page.reload()
    await viewer.until("document.querySelector('[data-trail]')?.innerText.includes('Acme')")


async def test_back_button_goes_through_views_and_selections_and_stays_on_the_page(viewer: Watching) -> None:
    page, place = (
        viewer.page,
        "`[${[__mnemoscene.tab, __mnemoscene.selection].map((one) => JSON.stringify(one)).join(', ')}]`",
    )
    await viewer.open("#/map?user=alice")
    tea, coriander = await _named(viewer, "jasmine"), await _named(viewer, "coriander")
    steps = [["map", tea], ["map", coriander], ["list", coriander], ["time", coriander]]
    for tab, chosen in steps:
        await viewer.choose(chosen)
        await page.keyboard.press({"map": "1", "time": "3", "list": "4"}[tab])
        await viewer.until(f"{place} === {json.dumps(json.dumps([tab, chosen]))}")
        here = {"list": '.list [tabindex="0"]', "time": '[data-timeline] [tabindex="0"]'}.get(tab)
        if here is not None:
            # List and time go to what is selected.
            await expect(page.locator(here)).to_be_in_viewport()
            await viewer.until(f"document.querySelector('{here}').outerHTML.includes('coriander')")
    for tab, chosen in [*reversed(steps[:-1]), ["map", None]]:
        await page.go_back()
        await viewer.until(f"{place} === {json.dumps(json.dumps([tab, chosen]))}")
    assert "#/map?user=alice" in page.url


@pytest.mark.slow
async def test_search_focus_and_back_lead_to_what_was_chosen(viewer: Watching) -> None:
    await viewer.open("#/map")
    tea, coriander, alice = (
        await _named(viewer, "jasmine"),
        await _named(viewer, "coriander"),
        await _named(viewer, "Alice"),
    )
    page, drawn = viewer.page, "Object.keys(window.__mnemoscene.positions())"
    await viewer.until(f"{drawn}.includes({json.dumps(tea)})")
    await page.keyboard.press("/")
    await page.keyboard.type("jasmine tea")
    option = page.get_by_role("option", name="jasmine tea").first
    assert re.search(r"Alice · .*2026", await option.inner_text()), "things of one name differ by owner and date"
    await page.keyboard.press("Enter")
    await viewer.until(f"window.__mnemoscene.selection === {json.dumps(tea)}")
    await page.keyboard.press("g")
    await viewer.until(f"!{drawn}.includes({json.dumps(coriander)}) && location.hash.includes('around=')")
    place = await viewer.resting_place(tea)
    assert 250 < place["x"] < 900, "the window shows what the focus left"
    assert 100 < place["y"] < 750, "the window shows what the focus left"
    await page.keyboard.press("/")
    await page.keyboard.type("corian")
    await page.get_by_role("option", name="coriander").first.wait_for()
    await page.keyboard.press("Enter")
    await viewer.until(f"{drawn}.includes({json.dumps(coriander)}) && !location.hash.includes('around=')")
    assert "coriander" in await page.locator("[data-revealed]").inner_text()
    await page.keyboard.press("4")
    row = page.locator('.list [tabindex="0"]')
    await viewer.until(f"document.querySelector('.list [tabindex=\"0\"]')?.dataset.target === {json.dumps(coriander)}")
    await expect(row.locator("svg[data-type]")).to_have_count(1)
    assert "coriander" in await row.inner_text()
    await page.keyboard.press("3")
    here = page.locator('[data-timeline] [tabindex="0"]')
    await here.wait_for()
    assert "coriander" in (await here.get_attribute("aria-label") or "")
    for expected in ("list", "map"):
        await page.go_back()
        await viewer.until(f"window.__mnemoscene?.tab === {json.dumps(expected)}")
    assert await viewer.probe("selection") == coriander
    await page.go_back()
    await viewer.until(f"window.__mnemoscene?.selection === {json.dumps(tea)}")
    await viewer.open("#/map")
    bob = await _named(viewer, "Bob")
    for end in (alice, bob):
        await viewer.choose(end)
        await page.keyboard.press("p")
    await viewer.until("document.querySelector('[data-trail]')?.innerText.includes('different memories')")


@pytest.mark.slow
async def test_neighbours_filters_and_hiding_can_be_undone(viewer: Watching) -> None:
    await viewer.open("#/map?user=alice")
    tea = await _named(viewer, "jasmine")
    whole = await viewer.probe("ids()")
    await viewer.choose(tea)
    await viewer.page.keyboard.press("g")
    await viewer.until(f"window.__mnemoscene.ids().length < {len(whole)} && location.hash.includes('around=')")
    await viewer.page.keyboard.press("z")
    await viewer.until(f"window.__mnemoscene.ids().length === {len(whole)}")
    await viewer.page.keyboard.press("h")
    await viewer.until(f"!window.__mnemoscene.ids().includes({json.dumps(tea)})")
    await viewer.page.keyboard.press("z")
    await viewer.page.locator('[data-filter="about:work"]').click()
    await viewer.until(f"window.__mnemoscene.ids().length < {len(whole)}")
    await viewer.page.locator('[data-act="undo"]').click()
    await viewer.until(f"window.__mnemoscene.ids().length === {len(whole)}")
    assert await viewer.probe("ids()") == whole


@pytest.mark.slow
async def test_network_shows_communities_and_keeps_positions_over_reloads(viewer: Watching) -> None:
    await viewer.open("#/net?user=alice")
    await viewer.until("document.querySelectorAll('[data-community]').length > 0")
    await viewer.until("Object.keys(window.__mnemoscene.positions()).length > 3")
    before = await viewer.probe("positions()")
    assert len({tuple(place) for place in before.values()}) == len(before), "nothing stands on something else"
    await viewer.page.locator("[data-community]").first.click()
    await viewer.page.wait_for_timeout(1_000)
    await viewer.page.reload()
    await viewer.until(f"Object.keys(window.__mnemoscene?.positions() ?? {{}}).length === {len(before)}")
    assert await viewer.probe("positions()") == before
    assert await viewer.probe("tab") == "net"


@pytest.mark.slow
async def test_dragged_node_keeps_its_position_over_layout_and_reloads_until_undone(viewer: Watching) -> None:
    await viewer.open("#/map?user=alice")
    tea = await _named(viewer, "jasmine")
    at, before = await viewer.resting_place(tea), await viewer.probe("positions()")
    await viewer.page.mouse.move(at["x"], at["y"])
    await viewer.page.mouse.down()
    await viewer.page.mouse.move(at["x"] - 90, at["y"] + 60, steps=4)
    await viewer.page.mouse.up()
    await viewer.until(f"String(window.__mnemoscene.positions()[{json.dumps(tea)}]) !== '{_text(before[tea])}'")
    moved = (await viewer.probe("positions()"))[tea]
    await viewer.page.keyboard.press("r")
    assert (await viewer.probe("positions()"))[tea] == moved, "a pinned thing stays when all else is arranged anew"
    for _ in range(2):
        await viewer.page.keyboard.press("z")
    assert await viewer.probe("positions()") == before
    await viewer.page.keyboard.press("Shift+z")
    await viewer.page.reload()
    await viewer.until(f"String(window.__mnemoscene?.positions()[{json.dumps(tea)}]) === '{_text(moved)}'")


@pytest.mark.parametrize("view", ["map", "net"])
async def test_view_stands_alike_in_windows_of_all_sizes_while_it_grows_and_is_moved_and_tidied(
    graph: Graph, browser: Browser, address: str, view: str
) -> None:
    tenant = f"alike-{uuid4().hex[:8]}"
    writer = GraphWriter(graph, tenant)

    async def told(*things: str) -> None:
        edges = [Edge("alice", "PREFERS", thing) for thing in things]
        await writer.put(nodes={"alice": "User", **dict.fromkeys(things, "Entity")}, edges=edges)

    await told("tea", "chess", "acme")
    tea, sea = "tea", "sea"
    async with (
        Watching.page_of(browser, address, tenant) as wide,
        Watching.page_of(browser, address, tenant) as phone,
        Watching.page_of(browser, address, tenant) as late,
    ):
        await phone.page.set_viewport_size({"width": 500, "height": 800})
        for page in (wide, phone):
            await page.open(f"#/{view}")
        for thing in ("bikes", "dogs", "sea"):
            await told(thing)
        for page in (wide, phone):
            await page.until(f"{json.dumps(sea)} in window.__mnemoscene.positions()")
        await _alike(wide, phone)
        before = await wide.probe("positions()")
        await late.open(f"#/{view}")
        await _alike(wide, late)
        assert await wide.probe("positions()") == before, "what is open does not move when another window opens"
        at = await wide.resting_place(tea)
        await wide.page.mouse.move(at["x"], at["y"])
        await wide.page.mouse.down()
        await wide.page.mouse.move(at["x"] - 90, at["y"] + 60, steps=4)
        await wide.page.mouse.up()
        await wide.until(f"String(window.__mnemoscene.positions()[{json.dumps(tea)}]) !== '{_text(before[tea])}'")
        dragged = (await wide.probe("positions()"))[tea]
        for page in (phone, late):
            await page.until(f"String(window.__mnemoscene.positions()[{json.dumps(tea)}]) === '{_text(dragged)}'")
        await phone.page.reload()
        await phone.until("window.__mnemoscene?.epoch != null")
        await _alike(wide, phone)
        await late.page.keyboard.press("r")
        await late.until(f"String(window.__mnemoscene.positions()[{json.dumps(sea)}]) !== '{_text(before[sea])}'")
        await _alike(late, wide)
        assert (await wide.probe("positions()"))[tea] == dragged, "what was dragged stays when all else is tidied"
        await late.open(f"#/{view}?sel={tea}")
        await late.page.click("[data-act=unpin]")
        await late.until("document.querySelector('[data-act=unpin]') === null")
        await late.page.keyboard.press("r")
        await late.until(f"String(window.__mnemoscene.positions()[{json.dumps(tea)}]) !== '{_text(dragged)}'")
        assert (
            await wide.page.evaluate("Object.keys(localStorage).filter((one) => /:(places|graph|net):/.test(one))")
            == []
        )


async def _alike(one: Watching, other: Watching) -> None:
    """Wait until two pages show the same things at the same positions; of two that placed a thing, one yields."""
    for _ in range(LOOKS_MAX):
        if await one.probe("positions()") == await other.probe("positions()"):
            return
        await other.drawn()
    raise AssertionError(f"{await one.probe('positions()')} is not {await other.probe('positions()')}")


def _text(place: list[int]) -> str:
    return ",".join(map(str, place))
