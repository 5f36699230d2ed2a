"""Test curation in the browser: edit mode, every action and its undo, the audit log."""

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, Route, expect

from graph_service.auth.access import Role
from graph_service.memory.ingest.validation import provided_fact
from schema.ids import TenantId
from tests.conftest import Server
from tests.support.builders import an_incoming
from tests.support.open_service import OpenService, open_service
from tests.viewer.watching import WAIT_MS, Watching

# Forgotten facts are not extracted again, so each run has a memory of its own.
_TENANT = f"set-right-{uuid4().hex[:8]}"
_SAID = (
    "I love jasmine tea.",
    "I hate coriander.",
    "I love mountains.",
    "I love the Alps.",
    "I really do love 弹钢琴.",
)


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def service(server: Server, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenService]:
    folder: Path = tmp_path_factory.mktemp("service")
    async with open_service(server, folder) as running:
        await running.parts.memory.remember(TenantId(_TENANT), an_incoming(*_SAID))
        for label in ("jasmine tea", "coriander", "mountains", "Alps", "弹钢琴"):
            await Watching.found(running.http, _TENANT, label)
        yield running


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def viewer(browser: Browser, service: OpenService) -> AsyncIterator[Watching]:
    """Open one page, signed in with a write key, in edit mode."""
    new = await service.key(_TENANT, Role.WRITE)
    async with Watching.page_of(browser, service.http, _TENANT) as watching:
        await _sign_in(watching.page, service, new.text)
        await watching.page.locator('[data-act="correct"]').click()
        yield watching


# Queries the service with the page's own cookie.
_EDGES = (
    "(await fetch('api/snapshot').then((answer) => answer.json()).then(({nodes, edges}) => edges.map((edge) =>"
    " ({...edge, label: nodes.find((node) => node.id === edge.target).label}))))"
)


async def _sign_in(page: Page, service: OpenService, key: str) -> None:
    await page.goto(f"{service.http}/?tenant={_TENANT}")
    await page.get_by_label("Your key").fill(key)
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_label("Your key")).to_have_count(0)


async def _fact(viewer: Watching, label: str, *, holds: bool = True) -> dict[str, Any]:
    """Return the fact with this object, as stored by the service."""
    wanted = f"(edge) => edge.label.includes({json.dumps(label)}) && edge.predicate !== 'MENTIONED'"
    await viewer.until(
        f"{_EDGES}.some((edge) => ({wanted})(edge) && (edge.invalid_at === null) === {json.dumps(holds)})"
    )
    found = await viewer.page.evaluate(f"async () => {_EDGES}.find({wanted})")
    return dict(found)


async def _act(viewer: Watching, name: str) -> None:
    await viewer.page.locator(f'[data-correct] [data-act="{name}"]').click()


async def test_edit_mode_is_offered_to_writers_and_initially_off(
    browser: Browser, service: OpenService, viewer: Watching
) -> None:
    new = await service.key(_TENANT, Role.READ)
    page = await browser.new_page(locale="en-US")
    await _sign_in(page, service, new.text)
    await expect(page.locator('[data-act="take"]')).to_be_visible(timeout=WAIT_MS)
    await expect(page.locator('[data-act="correct"]')).to_have_count(0)
    await page.close()
    switch = viewer.page.get_by_role("switch")
    await expect(switch).to_have_attribute("aria-checked", "true")
    await viewer.page.locator('[data-act="correct-off"]').click()
    await viewer.choose((await _fact(viewer, "jasmine"))["id"])
    await expect(viewer.page.locator("[data-correct]")).to_have_count(0)
    await switch.press("Enter")
    await expect(viewer.page.locator("[data-correct]")).to_be_visible()


async def test_wrong_fact_is_rejected_by_keyboard_and_restored(viewer: Watching, service: OpenService) -> None:
    fact = await _fact(viewer, "coriander")
    await viewer.choose(fact["id"])
    dislikes = viewer.page.locator(".line .DISLIKES")
    await expect(dislikes).to_have_text("dislikes 1")
    scenes = viewer.page.locator('[data-filter="Scene"] .n')
    before = await scenes.inner_text()
    await viewer.page.locator('[data-correct] [data-act="reject"]').press("Enter")
    await _fact(viewer, "coriander", holds=False)
    bar = viewer.page.locator("[data-correct-bar]")
    await expect(bar).to_contain_text("Rejected: ")
    panel = viewer.page.locator("[data-panel]")
    await expect(panel.locator("[data-standing]")).to_have_text("Rejected by for a test · never true")
    await expect(panel.get_by_role("meter")).to_have_count(0)
    await viewer.until(f"!window.__mnemoscene.ids().includes({json.dumps(fact['id'])})")
    await expect(dislikes).to_have_count(0)
    await expect(viewer.page.locator("[data-acts] li")).to_have_text([re.compile("^Rejected.*for a test")])
    assert await scenes.inner_text() == before, "a correction is not a scene"
    assert await viewer.probe("newIds()") == [], "a correction is not news"
    await expect(viewer.page.locator('[data-act="take-back"]')).to_be_focused()
    await viewer.page.keyboard.press("Enter")
    assert (await _fact(viewer, "coriander"))["id"] == fact["id"]
    await expect(dislikes).to_have_text("dislikes 1", timeout=WAIT_MS)
    await expect(bar).not_to_contain_text("Rejected: ", timeout=WAIT_MS)
    await expect(bar).to_have_attribute("aria-busy", "false", timeout=WAIT_MS)
    logged = [(deed["what"], deed["outcome"], deed["targets"]) for deed in service.audit_entries()]
    assert (["rejectFact"], "done", [fact["id"]]) in logged
    assert ["undoCorrection"] in [what for what, _, _ in logged]


async def test_fact_is_added_by_hand_taken_back_with_ctrl_z_and_redone(viewer: Watching) -> None:
    page = viewer.page
    await page.locator('[data-act="add-fact"]').press("Enter")
    form = page.locator("[data-new-fact]")
    await expect(form.locator('[name="subject"]')).to_be_focused()
    await form.locator('[name="predicate"]').select_option("CARES_ABOUT")
    await form.locator('[name="object"]').fill("Kyoto gardens")
    await form.locator('[name="object"]').press("Enter")
    await expect(form).to_have_count(0, timeout=WAIT_MS)
    fact = await _fact(viewer, "Kyoto gardens")
    assert (fact["predicate"], fact["confidence"]) == ("CARES_ABOUT", 1.0)
    await viewer.until(f"window.__mnemoscene.selection === {json.dumps(fact['id'])}")
    await expect(page.locator("[data-acts] li")).to_have_text([re.compile("^Added.*for a test")])
    undo = page.locator('[data-act="undo"]')
    await expect(undo).to_have_attribute("title", re.compile("^Undo .*Kyoto gardens"))
    await page.keyboard.press("Control+z")
    await viewer.until(f"!{_EDGES}.some((edge) => edge.label.includes('Kyoto'))")
    await expect(page.locator("[data-corrected], [data-correct-bar]")).not_to_contain_text("Kyoto", timeout=WAIT_MS)
    await page.locator('[data-act="redo"]').click()
    await expect(page.locator("[data-correct-bar]")).to_contain_text("Kyoto", timeout=WAIT_MS)
    await viewer.until(f"{_EDGES}.some((edge) => edge.label.includes('Kyoto'))")


@pytest.mark.slow
async def test_confirmed_and_pinned_facts_are_marked_as_such(viewer: Watching) -> None:
    fact = await _fact(viewer, "钢琴")
    await viewer.choose(fact["id"])
    scenes = viewer.page.locator('[data-filter="Scene"] .n')
    before, quotes = await scenes.inner_text(), viewer.page.locator("[data-panel] figure")
    await expect(quotes).to_have_count(1)
    for name, did in (("confirm", "Confirmed"), ("pin-fact", "Pinned")):
        await _act(viewer, name)
        await expect(viewer.page.locator("[data-correct-bar]")).to_contain_text(did)
        await expect(viewer.page.locator("[data-panel] .tags")).to_contain_text("Confirmed by a person")
    acts = viewer.page.locator("[data-acts] li")
    await expect(acts).to_have_text([re.compile("^Confirmed.*for a test"), re.compile("^Pinned.*for a test")])
    await expect(quotes).to_have_count(1)
    assert await scenes.inner_text() == before, "a correction is not a scene"
    assert await viewer.probe("newIds()") == []
    await viewer.page.locator('[data-act="corrected"]').click()
    lines = viewer.page.locator("[data-corrected] li")
    await expect(lines).to_have_count(2)
    for left in (1, 0):
        await lines.locator("button").first.click()
        await expect(lines.locator("button")).to_have_count(left)
    await viewer.page.locator('[data-act="corrected"]').click()


async def test_slow_correction_shows_its_progress_and_leaves_the_rest_usable(viewer: Watching) -> None:
    fact, goes_on = await _fact(viewer, "mountains"), asyncio.Event()

    async def slowly(route: Route) -> None:
        if "confirmFact" in (route.request.post_data or ""):
            await goes_on.wait()
        await route.continue_()

    await viewer.page.route("**/graphql", slowly)
    await viewer.choose(fact["id"])
    await _act(viewer, "confirm")
    bar = viewer.page.locator("[data-correct-bar]")
    await expect(bar).to_have_attribute("aria-busy", "true")
    await expect(bar.get_by_role("status")).to_have_text("Saving …")
    await expect(bar.locator(".spin")).to_be_visible()
    await viewer.choose((await _fact(viewer, "Alps"))["id"])
    await expect(viewer.page.locator("[data-panel] mark").first).to_be_visible(timeout=WAIT_MS)
    await expect(viewer.page.locator('[data-act="corrected"]')).to_be_enabled()
    goes_on.set()
    await expect(bar).to_have_attribute("aria-busy", "false", timeout=WAIT_MS)
    await viewer.page.unroute("**/graphql")
    await viewer.page.locator('[data-act="take-back"]').click()
    await expect(bar.get_by_role("status")).not_to_contain_text("Confirmed", timeout=WAIT_MS)


async def test_edited_fact_has_its_new_statement_until_undone(viewer: Watching) -> None:
    fact = await _fact(viewer, "jasmine")
    await viewer.choose(fact["id"])
    await _act(viewer, "edit")
    form = viewer.page.locator("[data-fact-form]")
    await form.locator('[name="object"]').fill("oolong <b>tea</b>")
    assert "oolong <b>tea</b>" in await form.locator("textarea").input_value()
    await form.locator('[data-act="save"]').click()
    await _fact(viewer, "oolong")
    assert (await _fact(viewer, "jasmine", holds=False))["id"] == fact["id"]
    await expect(viewer.page.locator("[data-panel] h2")).to_contain_text("oolong <b>tea</b>")
    await viewer.page.locator('[data-act="take-back"]').click()
    assert (await _fact(viewer, "jasmine"))["id"] == fact["id"]
    # The new fact was selected, and is gone.
    panel = viewer.page.locator("[data-panel]")
    await expect(panel.locator("[data-missing]")).to_be_visible()
    await expect(panel).not_to_contain_text("oolong")
    await expect(viewer.page.locator('[data-act="add-fact"]')).to_be_focused()


async def test_two_entities_are_merged_and_split(viewer: Watching) -> None:
    alps, mountains = await _fact(viewer, "Alps"), await _fact(viewer, "mountains")
    await viewer.choose(alps["target"])
    await _act(viewer, "merge")
    await viewer.choose(mountains["target"])
    # What it may be merged with is neither dimmed nor under the details.
    ends = [json.dumps(one["target"]) for one in (alps, mountains)]
    await viewer.until(f"""[{", ".join(ends)}].every((id) => {{
        const at = window.__mnemoscene.onPage(id);
        return window.__mnemoscene.bright(id) && document.elementFromPoint(at.x, at.y)?.closest('.map');
    }})""")
    await _act(viewer, "merge-here")
    merging = viewer.page.locator("[data-merge]")
    await expect(merging.locator("[data-preview]")).to_have_text("“mountains”, also called Alps, with 1 fact")
    await merging.get_by_label("Alps").check()
    await expect(merging.locator("[data-preview]")).to_have_text("“Alps”, also called mountains, with 1 fact")
    await merging.get_by_label("mountains").check()
    await _act(viewer, "merge-now")
    await viewer.until(f"!window.__mnemoscene.ids().includes({json.dumps(alps['target'])})")
    # The list comes from the service: another browser shows the merge too.
    await viewer.page.evaluate("localStorage.clear()")
    apart = f"window.__mnemoscene?.ids().includes({json.dumps(alps['target'])})"
    await _taken_back_after_a_reload(viewer, "Merged")
    await viewer.until(apart)
    await viewer.choose(alps["target"])
    await _act(viewer, "merge")
    await viewer.choose(mountains["target"])
    await _act(viewer, "merge-here")
    await _act(viewer, "merge-now")
    await viewer.until(f"!{apart}")
    await _act(viewer, "split")
    await viewer.until(apart)
    await _taken_back_after_a_reload(viewer, "Split")
    await viewer.until(f"!{apart}")


async def _taken_back_after_a_reload(viewer: Watching, did: str) -> None:
    await viewer.page.reload()
    await viewer.page.locator('[data-act="correct"]').click()
    await viewer.page.locator('[data-act="corrected"]').click()
    line = viewer.page.locator("[data-corrected] li", has_text=f"{did}: ")
    await line.locator("button").click()
    await expect(line).to_have_count(0, timeout=WAIT_MS)
    await viewer.page.locator('[data-act="corrected"]').click()


async def test_things_of_similar_names_are_suggested_for_a_merge(viewer: Watching, service: OpenService) -> None:
    told = {"subject": "user", "predicate": "CARES_ABOUT", "confidence": 0.9, "strength": 0.8}
    names = ("St", "St. Mary's")
    facts = tuple(provided_fact({**told, "object": name, "statement": f"Cares about {name}."}) for name in names)
    said = an_incoming("St. Mary's matters to me.", session="hospital", facts=facts)
    await service.parts.memory.remember(TenantId(_TENANT), said)
    whole = await _fact(viewer, "St. Mary's")
    part = next(edge for edge in await viewer.page.evaluate(f"async () => {_EDGES}") if edge["label"] == "St")
    await viewer.choose(part["target"])
    maybe = viewer.page.locator("[data-likeness]")
    await expect(maybe).to_contain_text("May be the same as", timeout=WAIT_MS)
    await expect(maybe.locator(".chip")).to_have_text("St. Mary's")
    await maybe.locator(f'[data-merge-with="{whole["target"]}"]').click()
    await viewer.until(f"window.__mnemoscene.selection === {json.dumps(whole['target'])}")
    await _act(viewer, "merge-here")
    preview = viewer.page.locator("[data-merge] [data-preview]")
    await expect(preview).to_have_text("“St. Mary's”, also called St, with 1 fact")
    await viewer.page.locator("[data-correct-bar]").get_by_role("button", name="Cancel").click()
    await expect(preview).to_have_count(0)


async def test_permanent_deletion_can_be_cancelled_for_ten_seconds(viewer: Watching, service: OpenService) -> None:
    fact = await _fact(viewer, "jasmine")
    await viewer.choose(fact["id"])
    await viewer.page.clock.install()
    await viewer.page.locator('[data-correct] [data-act="forget"]').press("Enter")
    await expect(viewer.page.locator("[data-correct]")).to_contain_text("permanently")
    await expect(viewer.page.locator("[data-correct] .acts button").last).to_be_focused()
    await viewer.page.keyboard.press("Enter")
    await expect(viewer.page.locator('[data-correct] [data-act="forget"]')).to_be_focused()
    await viewer.page.keyboard.press("Enter")
    await _act(viewer, "forget-now")
    keep = viewer.page.locator('[data-act="keep"]')
    await expect(keep).to_be_focused()
    await keep.press("Enter")
    await viewer.page.clock.fast_forward(20_000)
    assert ["forgetFact"] not in [deed["what"] for deed in service.audit_entries()]
    await _act(viewer, "forget")
    await _act(viewer, "forget-now")
    await viewer.page.clock.fast_forward(11_000)
    await viewer.until(f"!window.__mnemoscene.ids().includes({json.dumps(fact['id'])})")
    bar = viewer.page.locator("[data-correct-bar]")
    await expect(bar).to_have_attribute("aria-busy", "false")
    await expect(bar).to_contain_text("Forgotten: ")
    await expect(viewer.page.locator("[data-panel]")).to_have_count(0)
    assert ["forgetFact"] in [deed["what"] for deed in service.audit_entries()]
