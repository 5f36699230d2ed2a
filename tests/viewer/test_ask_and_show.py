"""Test in the browser what a memory is asked and shown with: answers, portraits, the full screen, and a film."""

import asyncio
import uuid
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect

from tests.viewer.watching import WAIT_MS, Watching


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def memory(address: str) -> str:
    name = f"show-{uuid.uuid4().hex[:8]}"
    for turn, text in enumerate(("I love jasmine tea.", "I hate coriander.", "I live in Lisbon.")):
        await Watching.told(address, name, text, session=f"s{turn}")
    for label in ("jasmine tea", "coriander", "Lisbon"):
        await Watching.found(address, name, label)
    return name


# The way is lit for a moment only, which a busy machine may miss.
_COLLECT_LIT = """() => {
    window.__lit = {}
    const collect = () => {
        Object.assign(window.__lit, window.__mnemoscene.recalled())
        requestAnimationFrame(collect)
    }
    collect()
}"""


async def test_answer_cites_its_sentence_lights_the_way_and_opens_the_evidence(viewer: Watching) -> None:
    page = viewer.page
    await viewer.open("#/map?side=now")
    box = page.locator("[data-ask-text]")
    await box.fill("Which tea does Alice love?")
    await box.press("Enter")
    sentence = page.locator("[data-sentence]").first
    await expect(sentence).to_contain_text("jasmine tea", timeout=WAIT_MS)
    await expect(page.locator("[data-written-by]")).to_contain_text("Quoted from the memory")
    await page.evaluate(_COLLECT_LIT)
    await sentence.locator("[data-cite]").first.click()
    # The person, the fact and the scene of the sentence, in this order.
    await viewer.until("new Set(Object.values(window.__lit)).size === 3")
    assert await viewer.probe("ids().find((id) => window.__lit[id] === 2)") is not None
    panel = page.locator("[data-panel]")
    await expect(panel.locator("mark").first).to_contain_text("jasmine tea", timeout=WAIT_MS)
    await page.keyboard.press("Escape")
    await expect(page.locator("[data-answer]")).to_be_visible()
    await box.fill("Which airline did the neighbour's pilot train with?")
    await page.locator('[data-act="ask"]').click()
    await expect(page.locator("[data-nothing-known]")).to_be_visible(timeout=WAIT_MS)


async def test_message_written_beside_the_map_is_stored_and_appears(viewer: Watching) -> None:
    page = viewer.page
    await viewer.open("#/map?side=now")
    await page.locator("[data-ask-text]").fill("I play the <b>cello</b>.")
    await page.locator('[data-act="tell"]').press("Enter")
    await expect(page.locator("[data-told-now]")).to_be_visible(timeout=WAIT_MS)
    await expect(page.locator("[data-ask-text]")).to_be_focused()
    await expect(page.locator("[data-message]").first).to_contain_text("I play the <b>cello</b>.", timeout=WAIT_MS)
    assert await page.locator("[data-ask-text]").input_value() == ""


async def test_portrait_cites_facts_and_is_saved_as_a_card(viewer: Watching, tmp_path: Path) -> None:
    page = viewer.page
    await viewer.open("#/map")
    await viewer.choose(await Watching.found(viewer.address, viewer.tenant, "Alice"))
    portrait = page.locator("[data-portrait]")
    await expect(portrait.locator('[data-topic="likes"]')).to_contain_text("jasmine tea", timeout=WAIT_MS)
    await expect(portrait.locator('[data-topic="places"]')).to_contain_text("Lisbon")
    async with page.expect_download() as saving:
        await portrait.locator('[data-act="card"]').click()
    path = tmp_path / "card.png"
    await (await saving.value).save_as(path)
    assert path.read_bytes().startswith(b"\x89PNG")
    await portrait.locator('[data-topic="likes"] [data-cites]').first.click()
    await expect(page.locator("[data-panel] mark").first).to_contain_text("jasmine tea", timeout=WAIT_MS)


async def test_full_screen_shows_the_map_alone_and_tells_what_comes(viewer: Watching) -> None:
    page = viewer.page
    await viewer.open("#/map")
    await page.keyboard.press("a")
    screen = page.locator("[data-ambient]")
    await expect(screen).to_be_visible(timeout=WAIT_MS)
    await expect(page.locator("footer")).to_be_hidden()
    await expect(screen).to_have_class("ambient-view idle", timeout=WAIT_MS)
    await page.mouse.move(300, 300)
    await page.mouse.move(320, 320)
    await expect(screen).not_to_have_class("ambient-view idle")
    await viewer.say("I love sailing boats.", session="ambient")
    await expect(screen.locator('[data-told-as="fact"]').first).to_contain_text("sailing", timeout=WAIT_MS)
    await page.locator('[data-act="leave-ambient"]').click()
    await expect(screen).to_have_count(0)
    await expect(page.locator("footer")).to_be_visible()
    # What came while Now was closed.
    await expect(page.locator("[data-missed]")).to_be_visible()
    await page.locator('[data-act="now"]').click()
    await expect(page.locator("[data-missed]")).to_have_count(0)


@pytest.mark.parametrize("able", [True, False])
async def test_film_is_recorded_as_webm_or_says_why_not(viewer: Watching, tmp_path: Path, able: bool) -> None:
    page = viewer.page
    if not able:
        await page.add_init_script("delete window.MediaRecorder")
    await viewer.open("#/map")
    await page.keyboard.press("x")
    film = page.locator("[data-film]")
    if not able:
        await page.locator('[data-export-as="film"]').click()
        await expect(film).to_contain_text("cannot record WebM", timeout=WAIT_MS)
        return
    async with page.expect_download(timeout=WAIT_MS) as saving:
        await page.locator('[data-export-as="film"]').click()
        await expect(film.locator("progress")).to_be_visible(timeout=WAIT_MS)
    path = tmp_path / "film.webm"
    await (await saving.value).save_as(path)
    content = await asyncio.to_thread(path.read_bytes)
    assert content.startswith(b"\x1a\x45\xdf\xa3")
    assert len(content) > 10_000
    await film.locator('[data-act="film-close"]').click()
    await expect(film).to_have_count(0)
