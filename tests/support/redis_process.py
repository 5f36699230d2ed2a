"""Run a redis-server on a temporary Unix socket, which a test can kill, stop and restart."""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import RedisError


class RedisProcess:
    """A redis-server without persistence."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._socket = folder / "redis.sock"
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The URL of the server, without a password."""
        return f"unix://{self._socket}"

    async def start(self) -> None:
        """Start the server and wait until it answers."""
        self._socket.unlink(missing_ok=True)
        command = ["redis-server", "--port", "0", "--unixsocket", str(self._socket), "--save", "", "--appendonly", "no"]
        self._process = self._launched([*command, *self._options])
        for _ in range(6_000):
            with contextlib.suppress(RedisError, OSError):
                async with self.client() as client:
                    await client.execute_command("ECHO", "x")
                    return
            await asyncio.sleep(0.01)
        raise AssertionError("redis-server did not start")

    def _launched(self, command: list[str]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=self._socket.parent)

    def client(self) -> Redis:
        """Return a plain client, to inspect or corrupt data."""
        secret = next((self._options[i + 1] for i, name in enumerate(self._options) if name == "--requirepass"), None)
        return Redis(unix_socket_path=str(self._socket), password=secret, protocol=2)

    def signal(self, number: int) -> None:
        """Send a signal; wait for the end after SIGKILL."""
        assert self._process is not None
        os.kill(self._process.pid, number)
        if number == signal.SIGKILL:
            self._process.wait(10)

    def stop(self) -> None:
        """Kill the server if it is running, even if it was stopped by a signal."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait(10)


@contextlib.asynccontextmanager
async def redis_process(*options: str) -> AsyncIterator[RedisProcess]:
    """Run a redis-server; skip the test where none is installed."""
    if shutil.which("redis-server") is None:
        pytest.skip("no redis-server on this machine")
    folder = Path(tempfile.mkdtemp(prefix="mnemoscene-redis-"))
    process = RedisProcess(folder, *options)
    try:
        await process.start()
        yield process
    finally:
        process.stop()
        shutil.rmtree(folder, ignore_errors=True)
