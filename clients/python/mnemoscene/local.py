"""Find the service that runs on this machine, or start one with the command `mnemoscene`."""

from __future__ import annotations

import atexit
import ipaddress
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from mnemoscene.errors import Unavailable

POLL_S = 0.1


@dataclass
class LocalService:
    """A service of this machine.

    Attributes:
        process: the service, if this program started it.
    """

    url: str
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def stop(self) -> None:
        """Stop the service if this program started it."""
        process, self.process = self.process, None
        if process is not None and process.poll() is None:
            process.terminate()
            process.wait()


def local_service(start_s: float) -> LocalService:
    """Return the running service, else start one.

    Raises:
        Unavailable: none runs and none could be started.
    """
    url = os.environ.get("MNEMOSCENE_URL") or running_service()
    return LocalService(url) if url else _start(start_s)


def running_service() -> str | None:
    """Return the address of the service that registered itself in the data directory and answers; else None."""
    for folder in data_folders():
        try:
            url = str(json.loads((folder / "service.json").read_text("utf-8"))["address"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if _of_this_machine(url) and _answers(url):
            return url
    return None


def data_folders() -> list[Path]:
    """Return the folders where a service may have registered: that of the setting, of this folder, of the user."""
    told = os.environ.get("MNEMOSCENE_DATA_DIR")
    if told:
        return [Path(told)]
    home = Path.home()
    if sys.platform == "darwin":
        users = home / "Library" / "Application Support" / "mnemoscene"
    else:
        users = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share") / "mnemoscene"
    return [Path.cwd() / ".mnemoscene" / "data", users]


def _of_this_machine(url: str) -> bool:
    """Return True if the address is local, so that a copied file cannot send keys to another host."""
    try:
        parts = urlsplit(url)
        host = ipaddress.ip_address(parts.hostname or "")
        with socket.socket(socket.AF_INET6 if host.version == 6 else socket.AF_INET) as own:
            own.bind((str(host), 0))  # Only addresses of this machine can be bound.
    except (OSError, ValueError):
        return False
    return parts.scheme == "http" and parts.username is None


def _answers(url: str) -> bool:
    try:
        httpx.get(f"{url}/health", timeout=2.0, trust_env=False)
    except httpx.HTTPError:
        return False
    return True


def _start(start_s: float) -> LocalService:
    command = shutil.which("mnemoscene") or shutil.which("mnemoscene", path=str(Path(sys.executable).parent))
    if command is None:
        raise Unavailable(
            "no service runs on this machine, and the command `mnemoscene` is not installed: install mnemoscene-server,"
            " or pass the address of a service to Memory(url=…)"
        )
    process = subprocess.Popen([command, "serve", "--no-browser"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    service = LocalService("", process)
    atexit.register(service.stop)
    end_s = time.monotonic() + start_s
    while time.monotonic() < end_s and process.poll() is None:
        url = running_service()
        if url:
            service.url = url
            return service
        time.sleep(POLL_S)
    service.stop()
    raise Unavailable("`mnemoscene serve` did not start a service: run it in a terminal to see why")
