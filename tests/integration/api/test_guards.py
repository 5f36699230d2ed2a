"""Test host names, body sizes and the delivery of the viewer's files."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI, Request

from graph_service.app.middleware import BodyLimit, BodyRules, HostGuard
from graph_service.app.viewer_files import add_viewer

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
    app.add_middleware(BodyLimit, rules=BodyRules(bytes_max=BYTES_MAX, stranger_bytes_max=BYTES_MAX))
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
