"""Fixtures of the adapters' tests: a running service, given by `--url` or started with the command `mnemoscene`."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from mnemoscene.local import local_service

REPOSITORY = Path(__file__).parents[3]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--url", help="a running service; by default a fresh one is started")
    parser.addoption("--key", help="its API key")
    parser.addoption("--reference", action="store_true", help="test the contract of mem0 with mem0 itself")


@pytest.fixture(scope="session")
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    """Return the address of the service; a fresh one, with its own database, unless one is given."""
    given = request.config.getoption("--url")
    if given:
        yield given
        return
    for name in [name for name in os.environ if name.startswith("MNEMOSCENE_")]:
        del os.environ[name]
    folder = tempfile.mkdtemp(prefix="mnemoscene-client-")
    os.environ["MNEMOSCENE_DATA_DIR"] = folder
    os.environ["PATH"] = os.pathsep.join([str(REPOSITORY / ".venv" / "bin"), os.environ["PATH"]])
    service = local_service(300)
    # Until its database runs, a message is stored but cannot be read yet.
    for _ in range(300):
        try:
            if httpx.get(f"{service.url}/ready").status_code == 200:
                break
        except httpx.TimeoutException:
            continue
        time.sleep(1)
    yield service.url
    service.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def key(request: pytest.FixtureRequest) -> str | None:
    """Return the API key of the service."""
    key: str | None = request.config.getoption("--key")
    return key


@pytest.fixture
def user_id() -> str:
    """Return a user of this test alone."""
    return f"u-{uuid.uuid4().hex[:12]}"
