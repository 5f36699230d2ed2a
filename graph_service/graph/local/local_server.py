"""Starts, finds, shares and stops the local Neo4j of a data directory.

The process that starts a server owns it: the server stops when its owner stops it, exits or is killed. Another process
may share it meanwhile; when the owner leaves, the sharer's driver fails and the sharer may start the server itself.
"""

import asyncio
import functools
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

import psutil

from graph_service.graph.local.jar_cache import FetchProgress, ensure_jars
from graph_service.graph.local.owner import (
    Owner,
    ProcessMark,
    clear_owner,
    read_owner,
    try_lock,
    write_owner,
    write_private,
)
from graph_service.graph.local.server_process import ServerProcess, log_tail, start_process
from schema.errors import ConflictError, InstallError

USER: Final = "neo4j"
# Port 0: the system chooses a free one while binding, so that no other process takes it in between.
NEO4J_CONF: Final = """\
# Written at each start of the local Neo4j; changes made here are lost.
server.bolt.enabled=true
server.bolt.listen_address=127.0.0.1:0
internal.server.bolt.thread_pool_shutdown_wait_time=200ms
internal.server.bolt.connection_shutdown_wait_time=200ms
server.directories.data=neo4j
server.directories.logs=logs
server.memory.pagecache.size={page_cache_mb}m
dbms.security.auth_enabled=true
dbms.usage_report.enabled=false
db.tx_log.preallocate=false
db.memory.transaction.max=256m
db.transaction.timeout=60s
"""
LOCK_POLL_S: Final = 0.05
# A server whose owner died notices within a second and needs another one to close its store.
OLD_SERVER_END_MAX_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StartProgress:
    """What the start is doing.

    Attributes:
        fetch: set while `stage` is "fetching".
    """

    stage: Literal["waiting", "fetching", "starting", "ready"]
    fetch: FetchProgress | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """A running local Neo4j.

    Attributes:
        uri: `bolt://127.0.0.1:PORT`; the port changes with each start.
        owned: True: this process started it and stops it. False: another one's, shared.
    """

    uri: str
    user: str
    password: str = field(repr=False)
    owned: bool
    _data_dir: Path = field(repr=False)
    _process: ServerProcess | None = field(default=None, repr=False)

    async def stop(self) -> None:
        """Stop an owned server, in about a second; close drivers first. Does nothing to a shared or stopped one."""
        if self._process is not None:
            await asyncio.to_thread(_stop, self._process, self._data_dir)


async def start_local_server(
    *,
    data_dir: Path,
    cache_dir: Path,
    heap_mb: int = 512,
    page_cache_mb: int = 64,
    start_timeout_s: float = 60,
    on_progress: Callable[[StartProgress], None] | None = None,
    share: bool = True,
) -> LocalServer:
    """The local Neo4j of `data_dir`, started here unless it runs already.

    The first start on a machine fetches about 180 MB of jars into `cache_dir`; that time does not count against
    `start_timeout_s`.

    Args:
        cache_dir: jars and class archives, for all data directories of this user.
        on_progress: called in the running event loop.
        share: False refuses a directory in use instead of sharing its server.

    Raises:
        ConflictError: the directory is in use and `share` is False, or its store is locked by an unknown process.
        InstallError: jars, Java, memory or disk do not allow a start; the message says which.
    """
    loop, cancelled = asyncio.get_running_loop(), threading.Event()

    def tell(progress: StartProgress) -> None:
        if on_progress is not None:
            loop.call_soon_threadsafe(on_progress, progress)

    start = functools.partial(
        _start,
        _Start(
            data_dir=data_dir.absolute(),
            cache_dir=cache_dir.absolute(),
            heap_mb=heap_mb,
            page_cache_mb=page_cache_mb,
            timeout_s=start_timeout_s,
            tell=tell,
            cancelled=cancelled,
        ),
        share=share,
    )
    try:
        return await asyncio.to_thread(start)
    except asyncio.CancelledError:
        cancelled.set()
        raise


def find_local_server(data_dir: Path) -> LocalServer | None:
    """The server of this directory when it runs and its owner lives; None otherwise. Starts and changes nothing."""
    owner = read_owner(data_dir)
    if owner is None or not owner.in_use():
        return None
    try:
        password = _password_path(data_dir).read_text(encoding="utf-8")
    except OSError:
        return None
    return LocalServer(uri=owner.uri, user=USER, password=password, owned=False, _data_dir=data_dir)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """One call of `start_local_server`."""

    data_dir: Path
    cache_dir: Path
    heap_mb: int
    page_cache_mb: int
    timeout_s: float
    tell: Callable[[StartProgress], None]
    cancelled: threading.Event


def _start(start: _Start, *, share: bool) -> LocalServer:
    try:
        start.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        while not start.cancelled.is_set():
            with try_lock(start.data_dir / "start.lock") as mine:
                if mine:
                    return _share(start, share=share) or _start_alone(start)
            start.tell(StartProgress(stage="waiting"))
            start.cancelled.wait(LOCK_POLL_S)
    except OSError as problem:
        raise InstallError(
            f"The data directory {str(start.data_dir)!r} of the local Neo4j cannot be used: {problem}."
            " Make it writable, free some space, or name another directory."
        ) from problem
    raise InstallError(f"Starting the local Neo4j of {str(start.data_dir)!r} was cancelled.")


def _share(start: _Start, *, share: bool) -> LocalServer | None:
    """The running server of the directory; None when there is none and what was left of one is cleared away."""
    found, owner = find_local_server(start.data_dir), read_owner(start.data_dir)
    if found is not None and owner is not None:
        if not share:
            raise ConflictError(
                f"The data directory {str(start.data_dir)!r} is in use by {owner.description()}."
                " Stop that process, allow sharing its server, or name another data directory."
            )
        return found
    if owner is not None:
        _end_left_server(owner)
        clear_owner(start.data_dir, owner.server)
    return None


def _end_left_server(owner: Owner) -> None:
    """Wait for a server without an owner to close its store; kill it when it does not."""
    process = owner.server.process()
    if process is None:
        return
    try:
        process.wait(OLD_SERVER_END_MAX_S)
    except psutil.TimeoutExpired:
        process.kill()
        process.wait(OLD_SERVER_END_MAX_S)


def _start_alone(start: _Start) -> LocalServer:
    """Start a server; the caller holds the start lock and nothing of an older server is left."""
    jar_dir = start.cache_dir / "jars"
    jars = ensure_jars(
        jar_dir,
        on_progress=lambda fetch: start.tell(StartProgress(stage="fetching", fetch=fetch)),
        cancelled=start.cancelled,
    )
    start.tell(StartProgress(stage="starting"))
    password_path = _password_path(start.data_dir)
    is_new = not password_path.exists()
    password = secrets.token_urlsafe(24) if is_new else password_path.read_text(encoding="utf-8")
    settings = _settings(start, jar_dir, jars) | {"new_password": password if is_new else None}
    process = start_process(settings)
    try:
        report = process.wait_until_ready(timeout_s=start.timeout_s, cancelled=start.cancelled)
        if report["event"] != "ready":
            raise _start_error(start, str(report["reason"]))
        if is_new:
            write_private(password_path, password)
        uri = f"bolt://127.0.0.1:{report['port']}"
        marks = ProcessMark.of(psutil.Process().pid), ProcessMark.of(process.popen.pid)
        write_owner(start.data_dir, Owner(starter=marks[0], server=marks[1], uri=uri))
    except BaseException:
        process.kill()
        raise
    start.tell(StartProgress(stage="ready"))
    return LocalServer(uri=uri, user=USER, password=password, owned=True, _data_dir=start.data_dir, _process=process)


def _settings(start: _Start, jar_dir: Path, jars: tuple[Path, ...]) -> dict[str, Any]:
    """What the launcher reads from its stdin; Neo4j's own settings go into a file beside the store."""
    conf_path = start.data_dir / "neo4j.conf"
    conf_path.write_text(NEO4J_CONF.format(page_cache_mb=start.page_cache_mb), encoding="utf-8")
    return {
        "jar_dir": str(jar_dir),
        "jars": [jar.name for jar in jars],
        "home_dir": str(start.data_dir),
        "conf_path": str(conf_path),
        "log_dir": str(start.data_dir / "logs"),
        "heap_mb": start.heap_mb,
        "archive_options": [],
        "archive_recording": False,
    }


def _start_error(start: _Start, reason: str) -> ConflictError | InstallError:
    if "lock" in reason.lower() and "store" in reason.lower():
        return ConflictError(
            f"The store in {str(start.data_dir)!r} is locked by a process that left no record here: {reason}."
            " Stop the Neo4j that uses it, or name another data directory."
        )
    tail = log_tail(start.data_dir / "logs")
    return InstallError(
        f"The local Neo4j in {str(start.data_dir)!r} did not start: {reason}."
        f" Its logs are in {str(start.data_dir / 'logs')!r}." + (f" Java's last words: {tail}" if tail else "")
    )


def _stop(process: ServerProcess, data_dir: Path) -> None:
    try:
        mark = ProcessMark.of(process.popen.pid)
    except psutil.NoSuchProcess:
        return
    process.stop()
    clear_owner(data_dir, mark)


def _password_path(data_dir: Path) -> Path:
    return data_dir / "password"
