"""Test that message texts are never executed, never become markup and never leak to others."""

import json
from collections.abc import AsyncIterator
from typing import Any, Final
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext

from tests.viewer.watching import REMEMBER, Watching

_RUNS: Final = "window.pwned=(window.pwned||0)+1"
IMAGE: Final = f'<img src=x onerror="{_RUNS}">'
SCRIPT: Final = f'"></textarea><script>{_RUNS}</script>'
VECTOR: Final = f'<svg onload="{_RUNS}"><a href="javascript:{_RUNS}">x</a></svg>'
FRAME: Final = f'<iframe srcdoc="<script>parent.{_RUNS}</script>"></iframe>'
BLANKS: Final = "{{constructor.constructor('" + _RUNS + "')()}}"

# Runs before the page's scripts: records policy violations, and elements that only injected text could have created.
_WATCH: Final = """
window.refused = [];
window.grown = [];
addEventListener("securitypolicyviolation", (event) =>
  refused.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`));
const alien = "img[onerror], script:not([src]), iframe, object, embed, svg[onload], a[href^='javascript']";
new MutationObserver((all) => {
  for (const one of all) for (const node of one.addedNodes)
    if (node instanceof Element && (node.matches(alien) || node.querySelector(alien)))
      grown.push(node.outerHTML.slice(0, 200));
}).observe(document, { childList: true, subtree: true });
"""


@pytest_asyncio.fixture(loop_scope="session", scope="module")
async def memory(address: str) -> str:
    """Create a tenant with a canary in everything that has text: names, messages, facts, scenes, relations."""
    name = f"safe-page-{uuid4().hex[:8]}"
    facts = [
        _fact("user", "PREFERS", f"cake {IMAGE}", f"She loves cake {IMAGE}"),
        _fact("user", "RELATES_TO", f"Acme {VECTOR}", f"She works at {VECTOR}", relation=f"works {SCRIPT}"),
        _fact("user", "DISLIKES", f"tea {BLANKS}", f"She hates {FRAME}"),
    ]
    messages = [
        {"role": "USER", "text": text, "time": f"2026-03-01T12:{turn:02d}:00Z"}
        for turn, text in enumerate((f"I love cake {IMAGE}", f"I work at Acme {VECTOR}", f"I hate tea {SCRIPT}{FRAME}"))
    ]
    call = {"userId": "mallory", "sessionId": f"s {IMAGE}", "userName": f"Mallory {IMAGE}", "messages": messages}
    call |= {"facts": facts, "summary": f"A talk about {SCRIPT} cake"}
    async with httpx.AsyncClient(timeout=60, headers={"Mnemoscene-Tenant": name}) as client:
        answer = await client.post(f"{address}/graphql", json={"query": REMEMBER, "variables": {"input": call}})
    assert "errors" not in answer.json(), answer.text
    await Watching.found(address, name, "cake")
    return name


def _fact(subject: str, predicate: str, thing: str, statement: str, **more: Any) -> dict[str, Any]:
    return {"subject": subject, "predicate": predicate, "object": thing, "statement": statement, **more}


@pytest_asyncio.fixture(loop_scope="session")
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    context = await browser.new_context(viewport={"width": 1280, "height": 800}, locale="en-US")
    await context.add_init_script(_WATCH)
    yield context
    await context.close()


async def test_canaries_in_every_text_are_shown_as_text(context: BrowserContext, address: str, memory: str) -> None:
    """One session over all views and panels, with every request and socket recorded."""
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = await context.new_page()
    page.on("websocket", lambda socket: asked.append(socket.url))
    viewer = Watching(page, address, memory)
    await viewer.open("#/map")
    for tab in ("net", "time", "map", "list"):
        await viewer.page.evaluate(f"location.hash = '#/{tab}'")
        await viewer.until(f"window.__mnemoscene.tab === '{tab}'")
    for canary in (f"cake {IMAGE}", f"Acme {VECTOR}", f"tea {BLANKS}", f"Mallory {IMAGE}", f"at {VECTOR}"):
        await viewer.until_shown(canary)
    *others, related = await _one_of_each_sort(address, memory)
    for element in (*others, related):
        await viewer.choose(element)
    await viewer.until_shown(f"works {SCRIPT}")
    await page.locator("[data-panel] blockquote").first.wait_for()
    await page.keyboard.press("Escape")
    await page.keyboard.press("c")
    await page.locator("[data-feed] li").first.wait_for()
    await page.keyboard.press("/")
    await page.keyboard.type(f"cake {IMAGE}")
    await viewer.until_shown(f"cake {IMAGE}")
    assert await page.evaluate("[window.pwned, refused, grown]") == [None, [], []]
    assert viewer.errors == []
    ours = (address, address.replace("http", "ws"))
    assert [url for url in asked if not url.startswith((*ours, "data:", "blob:"))] == []
    assert any(url.startswith(ours[1]) for url in asked), "the socket was seen"
    await page.close()


async def _one_of_each_sort(address: str, tenant: str) -> list[str]:
    async with httpx.AsyncClient(timeout=60, headers={"Mnemoscene-Tenant": tenant}) as client:
        snapshot = (await client.get(f"{address}/api/snapshot")).json()
    facts = [edge for edge in snapshot["edges"] if edge["predicate"] != "MENTIONED"]
    facts.sort(key=lambda edge: edge["predicate"] == "RELATES_TO")
    kinds = {node["kind"]: node["id"] for node in snapshot["nodes"]}
    return [*kinds.values(), *(fact["id"] for fact in facts)]


async def test_injected_markup_and_code_are_blocked_by_the_browser(
    context: BrowserContext, address: str, memory: str
) -> None:
    page = await context.new_page()
    await page.goto(f"{address}/?tenant={memory}")
    for attack in (
        f"document.body.insertAdjacentHTML('beforeend', {json.dumps(IMAGE)})",
        f"document.body.innerHTML = {json.dumps(VECTOR)}",
        "document.body.appendChild(document.createElement('script')).text = 'window.pwned=1'",
        "fetch('http://127.0.0.1:9/')",
        "new WebSocket('ws://127.0.0.1:9/')",
        "document.body.appendChild(document.createElement('img')).src = 'http://127.0.0.1:9/x.png'",
        "window.trustedTypes.createPolicy('mine', {createHTML: (text) => text})",
    ):
        tried = f"async () => {{ try {{ await ({attack}) }} catch {{}} }}"
        await page.evaluate(tried)
    assert await page.evaluate("window.pwned") is None
    refused = {line.partition(" ")[0] for line in await page.evaluate("refused")}
    assert {"require-trusted-types-for", "trusted-types", "connect-src", "img-src"} <= refused
    await page.close()


@pytest.mark.parametrize(
    "path",
    ["/", "/index.html", "/mark.svg", "/none", "/health", "/openapi.json", "/api/snapshot", "/graphql", "/api/none"],
)
async def test_every_response_has_a_policy_without_exceptions(address: str, path: str) -> None:
    async with httpx.AsyncClient(timeout=60) as client:
        answer = await client.get(address + path)
        foreign = await client.get(address + path, headers={"Host": "evil.example"})
    for told in (answer.headers, foreign.headers):
        assert "default-src 'none'" in told["content-security-policy"]
        assert "unsafe" not in told["content-security-policy"]
        assert (told["x-content-type-options"], told["referrer-policy"]) == ("nosniff", "no-referrer")
    assert foreign.status_code == 421


async def test_delivered_page_has_no_inline_script_or_style(address: str) -> None:
    async with httpx.AsyncClient(timeout=60) as client:
        page = (await client.get(address)).text
    assert "<style" not in page
    assert " style=" not in page
    assert page.count("<script") == page.count('<script type="module" crossorigin src="./assets/') == 1
    assert " on" not in "".join(piece.partition(">")[0] for piece in page.split("<")[1:])
