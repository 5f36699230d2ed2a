"""Test what the Python client does when a service fails, against a stand-in that answers as told."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from mnemoscene import AsyncMemory, BadInput, Denied, Memory, MnemosceneError, Unavailable, transport

CONTEXT = {"text": "tea", "tokens": 1, "confidence": 0.9, "nothingRelevant": False, "degraded": False, "notes": []}
GOOD = (200, {"data": {"context": CONTEXT}})
CORRECTION = {"id": "c", "kind": "UPDATE", "text": "", "at": "2026-01-01T00:00:00Z", "factId": "f", "pending": False}
BUSY = (503, {"error": {"code": "UNAVAILABLE", "message": "the database is busy"}})


class StandIn:
    """A service that gives the planned answers in order, the last one again and again; None closes the connection."""

    def __init__(self, *answers: tuple[int, Any] | None) -> None:
        self.answers, self.seen = list(answers), list[tuple[dict[str, str], dict[str, Any]]]()

    @contextmanager
    def running(self) -> Iterator[str]:
        """Serve inside the block."""
        plan = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                plan.seen.append((dict(self.headers), json.loads(body)))
                answer = plan.answers[min(len(plan.seen), len(plan.answers)) - 1]
                if answer is None:
                    self.connection.close()
                    return
                status, tree = answer
                content = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            server.server_close()


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "PAUSES_S", (0.001, 0.001, 0.001))
    for name in ("MNEMOSCENE_URL", "MNEMOSCENE_API_KEY", "MNEMOSCENE_TENANT"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("failure", [BUSY, (429, b"slow down"), None], ids=["busy", "proxy", "closed"])
def test_read_is_sent_again_until_the_service_answers(failure: tuple[int, Any] | None) -> None:
    plan = StandIn(failure, failure, GOOD)
    with plan.running() as url, Memory(url, user_id="ana") as memory:
        assert memory.context("Tea?").text == "tea"
    assert len(plan.seen) == 3


async def test_async_client_retries_alike() -> None:
    plan = StandIn(BUSY, None, GOOD)
    with plan.running() as url:
        async with AsyncMemory(url, user_id="ana") as memory:
            assert (await memory.context("Tea?")).text == "tea"
    assert len(plan.seen) == 3


def test_client_gives_up_after_four_tries_with_the_message_of_the_service() -> None:
    plan = StandIn(BUSY)
    with plan.running() as url, Memory(url, user_id="ana") as memory, pytest.raises(Unavailable, match="is busy"):
        memory.context("Tea?")
    assert len(plan.seen) == 4


def test_remember_is_sent_again_with_the_same_request_id() -> None:
    receipt = {name: [] for name in ("messageIds", "uris", "closes", "conflicts", "dropped", "notes")}
    told = {**receipt, "stored": 1, "repeated": 0, "spooled": False}
    plan = StandIn(None, (200, {"data": {"remember": told}}))
    with plan.running() as url, Memory(url, user_id="ana") as memory:
        assert memory.remember("tea").stored == 1
    first, second = (body["variables"]["input"]["requestId"] for _, body in plan.seen)
    assert first == second


def test_correction_whose_fate_is_unknown_is_not_repeated() -> None:
    plan = StandIn(None, (200, {"data": {"updateFact": {**CORRECTION, "replacedId": None}}}))
    with plan.running() as url, Memory(url, user_id="ana") as memory:
        with pytest.raises(Unavailable) as raised:
            memory.update("f", "Ana likes tea.")
        assert raised.value.uncertain
        assert memory.update("f", "Ana likes tea.").fact_id == "f"


def test_key_and_tenant_are_sent_and_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = StandIn(GOOD)
    with plan.running() as url:
        monkeypatch.setenv("MNEMOSCENE_URL", f"{url}/graphql")
        monkeypatch.setenv("MNEMOSCENE_API_KEY", "mnk_1")
        with Memory(user_id="ana", tenant="café") as memory:
            memory.context("Tea?")
    headers, body = plan.seen[0]
    assert (headers["Authorization"], headers["Mnemoscene-Tenant"]) == ("Bearer mnk_1", "caf%C3%A9")
    assert body["variables"] == {"userId": "ana", "query": "Tea?", "maxTokens": 1000}


@pytest.mark.parametrize(
    ("answer", "kind", "code"),
    [
        ((401, {"error": {"code": "UNAUTHORIZED", "message": "send a key"}}), Denied, "UNAUTHORIZED"),
        ((200, {"errors": [{"message": "no", "extensions": {"code": "BAD_INPUT"}}]}), BadInput, "BAD_INPUT"),
        ((200, {"errors": [{"message": "no"}]}), MnemosceneError, "INTERNAL"),
        ((404, b"<html>"), MnemosceneError, "INTERNAL"),
        ((200, {"data": {"context": {}}}), MnemosceneError, "INTERNAL"),
        ((200, [1]), MnemosceneError, "INTERNAL"),
    ],
)
def test_refusal_raises_its_class_at_once(answer: tuple[int, Any], kind: type[MnemosceneError], code: str) -> None:
    plan = StandIn(answer)
    with plan.running() as url, Memory(url, user_id="ana") as memory, pytest.raises(kind) as raised:
        memory.context("Tea?")
    assert raised.value.code == code
    assert len(plan.seen) == 1


def test_missing_service_is_named_in_the_error() -> None:
    with StandIn(GOOD).running() as url:
        pass
    with Memory(url, user_id="ana") as memory, pytest.raises(Unavailable, match="mnemoscene serve"):
        memory.context("Tea?")


@pytest.mark.parametrize("url", ["127.0.0.1:7780", "ftp://host", "http://"])
def test_address_that_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(BadInput, match="no address"):
        Memory(url, user_id="ana")


@pytest.mark.parametrize(
    "said", [42, {"role": "user"}, ("nobody", "tea"), [("user", "tea", "?")], {"text": "a", "role": "x"}]
)
def test_what_is_no_message_is_refused_without_a_request(said: Any) -> None:
    plan = StandIn(GOOD)
    with plan.running() as url, Memory(url, user_id="ana") as memory, pytest.raises(BadInput):
        memory.remember(said)
    assert plan.seen == []


def test_memory_needs_a_user_or_an_agent() -> None:
    with pytest.raises(BadInput, match="user_id"):
        Memory(user_id=None)


def test_async_client_serves_several_event_loops() -> None:
    plan = StandIn(GOOD)
    with plan.running() as url:
        memory = AsyncMemory(url, user_id="ana")

        async def ask() -> str:
            return (await memory.context("Tea?")).text

        assert [asyncio.run(ask()) for _ in range(3)] == ["tea"] * 3
