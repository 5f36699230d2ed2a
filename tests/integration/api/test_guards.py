"""Test host names, body sizes and the delivery of the viewer's files."""

import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI, Request
from starlette.types import Message

from graph_service.app.middleware import BodyLimit, HostGuard
from graph_service.app.viewer_files import add_viewer
from web_viewer import DIST

BYTES_MAX = 1000


def client(dist: Path | None = None) -> httpx.AsyncClient:
    app = FastAPI()

    @app.post("/echo")
    async def echo(request: Request) -> int:
        return len(await request.body())

    @app.post("/parse")
    async def parse(body: dict[str, str]) -> int:
        return len(body)

    if dist is not None:
        add_viewer(app, dist)
    app.add_middleware(BodyLimit, bytes_max=BYTES_MAX, stranger_bytes_max=BYTES_MAX)
    app.add_middleware(HostGuard, allowed=["memory.example"])
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:7780")


async def pieces(total: int) -> AsyncIterator[bytes]:
    for _ in range(total // 100):
        yield b"x" * 100


@pytest.mark.parametrize("host", ["127.0.0.1:7780", "localhost", "[::1]:7780", "memory.example", "MEMORY.example:1"])
async def test_own_host_names_are_accepted(host: str) -> None:
    async with client() as http:
        assert (await http.post("/echo", content=b"abc", headers={"host": host})).text == "3"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil", ""])
async def test_foreign_host_names_are_refused(host: str) -> None:
    async with client() as http:
        answer = await http.post("/echo", content=b"abc", headers={"host": host})
    assert answer.status_code == 421
    assert answer.json()["error"]["code"] == "BAD_INPUT"


@pytest.mark.parametrize("host", ["evil.example:8000", "127.0.0.1.evil.example", None])
async def test_socket_of_a_foreign_host_name_is_closed(host: str | None) -> None:
    """An attacker's DNS may name this machine; the viewer's socket checks only the origin after that."""
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    headers = [] if host is None else [(b"host", host.encode())]
    guard = HostGuard(FastAPI(), allowed=[])
    await guard({"type": "websocket", "path": "/live", "headers": headers}, receive, send)
    assert [(one["type"], one["code"]) for one in sent] == [("websocket.close", 1008)]


@pytest.mark.parametrize("path", ["/echo", "/parse"])
async def test_oversized_body_is_refused_with_or_without_content_length(path: str) -> None:
    headers = {"content-type": "application/json"}
    async with client() as http:
        announced = await http.post(path, content=b"x" * (BYTES_MAX + 1), headers=headers)
        streamed = await http.post(path, content=pieces(BYTES_MAX * 3), headers=headers)
        fits = await http.post("/echo", content=pieces(BYTES_MAX))
    assert (announced.status_code, streamed.status_code, fits.text) == (413, 413, str(BYTES_MAX))
    assert "1,000 bytes" in streamed.json()["error"]["message"]


async def test_missing_viewer_build_is_explained(tmp_path: Path) -> None:
    async with client(tmp_path / "dist") as http:
        page = await http.get("/")
    assert page.status_code == 200
    assert "pip install --no-deps -e ." in page.text


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip", "gzip"),
        ("br;q=0, gzip;q=0.5", "gzip"),
        ("br;q=0.0", None),
        ("identity", None),
    ],
)
async def test_viewer_files_are_sent_as_compressed_as_the_client_accepts(
    tmp_path: Path, accepted: str, encoding: str | None
) -> None:
    content = {None: b"as it is", "gzip": gzip.compress(b"by gzip"), "br": b"by brotli"}
    endings = {None: "", "gzip": ".gz", "br": ".br"}
    (tmp_path / "assets").mkdir()
    for name, ending in endings.items():
        for file in ("index.html", "assets/app-1a2b.js"):
            (tmp_path / f"{file}{ending}").write_bytes(content[name])
    (tmp_path / "plain.svg").write_text("<svg/>", encoding="utf-8")
    async with client(tmp_path) as http:
        for path, kind, cached in (("/", "text/html", "no-cache"), ("/assets/app-1a2b.js", "javascript", "immutable")):
            async with http.stream("GET", path, headers={"accept-encoding": accepted}) as answer:
                body = b"".join([piece async for piece in answer.aiter_raw()])
            assert (body, answer.headers.get("content-encoding")) == (content[encoding], encoding)
            assert answer.headers["vary"] == "accept-encoding"
            assert kind in answer.headers["content-type"]
            assert cached in answer.headers["cache-control"]
            assert "default-src 'none'" in answer.headers["content-security-policy"]
            again = {"accept-encoding": accepted, "if-none-match": answer.headers["etag"]}
            assert (await http.get(path, headers=again)).status_code == 304
        plain = await http.get("/plain.svg", headers={"accept-encoding": accepted})
        refused = await http.post("/assets/app-1a2b.js", headers={"accept-encoding": accepted})
    assert (plain.text, plain.headers.get("content-encoding"), refused.status_code) == ("<svg/>", None, 405)


@pytest.mark.skipif(not (DIST / "index.html").is_file(), reason="the viewer is not built")
async def test_all_files_of_the_viewer_are_sent_within_300_kib() -> None:
    names = [file.relative_to(DIST).as_posix() for file in DIST.rglob("*") if file.suffix in {".css", ".html", ".js"}]
    total = 0
    async with client(DIST) as http:
        for name in names:
            async with http.stream("GET", f"/{name}", headers={"accept-encoding": "gzip, br"}) as answer:
                assert answer.headers["content-encoding"] == "br", name
                total += sum([len(piece) async for piece in answer.aiter_raw()])
    assert len(names) > 10
    assert total <= 300 * 1024


async def test_viewer_files_are_served_safely_and_hashed_ones_cached(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<title>map</title>", encoding="utf-8")
    (tmp_path / "assets" / "app-1a2b.js").write_text("1", encoding="utf-8")
    async with client(tmp_path) as http:
        page, script = await http.get("/"), await http.get("/assets/app-1a2b.js")
        outside = await http.get("/../secret")
    policy = page.headers["content-security-policy"]
    assert policy == script.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert {"default-src 'none'", "script-src 'self'", "style-src 'self'"} <= {
        part.strip() for part in policy.split(";")
    }
    assert page.headers["cache-control"] == "no-cache"
    assert "immutable" in script.headers["cache-control"]
    assert outside.status_code == 404
