"""A real redis-server for tests, on a socket file of its own; it can be killed, halted and started again."""

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
    """One redis-server without persistence."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._socket = folder / "redis.sock"
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its address, without a password."""
        return f"unix://{self._socket}"

    async def start(self) -> None:
        """Starts it and waits until it listens."""
        self._socket.unlink(missing_ok=True)
        command = ["redis-server", "--port", "0", "--unixsocket", str(self._socket), "--save", "", "--appendonly", "no"]
        self._process = self._launched([*command, *self._options])
        for _ in range(500):
            with contextlib.suppress(RedisError, OSError):
                async with self.client() as client:
                    await client.execute_command("ECHO", "x")
                    return
            await asyncio.sleep(0.01)
        raise AssertionError("redis-server did not start")

    def _launched(self, command: list[str]) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL, cwd=self._socket.parent)

    def client(self) -> Redis:
        """A plain client, to look and to spoil."""
        secret = next((self._options[i + 1] for i, name in enumerate(self._options) if name == "--requirepass"), None)
        return Redis(unix_socket_path=str(self._socket), password=secret, protocol=2)

    def signal(self, number: int) -> None:
        """Sends a signal; after SIGKILL it is gone when this returns."""
        assert self._process is not None
        os.kill(self._process.pid, number)
        if number == signal.SIGKILL:
            self._process.wait(10)

    def stop(self) -> None:
        """Ends it, whatever state it is in."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait(10)


@contextlib.asynccontextmanager
async def redis_process(*options: str) -> AsyncIterator[RedisProcess]:
    """A running redis-server; skips the test where none is installed."""
    if shutil.which("redis-server") is None:
        pytest.skip("no redis-server on this machine")
    folder = Path(tempfile.mkdtemp(prefix="mnemograph-redis-"))
    process = RedisProcess(folder, *options)
    try:
        await process.start()
        yield process
    finally:
        process.stop()
        shutil.rmtree(folder, ignore_errors=True)
