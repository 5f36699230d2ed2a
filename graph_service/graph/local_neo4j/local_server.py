"""Start, find, share and stop the local Neo4j of a data directory.

The process that starts a server owns it: the server stops when its owner stops it, exits or is killed. Other
processes may share it; when the owner exits, their drivers fail and they may start the server themselves.
"""

import asyncio
import os
import secrets
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import psutil

from extraction.verified_files import write_private
from graph_service.config.settings import Settings
from graph_service.graph.local_neo4j.class_archive import ClassArchive, class_archive
from graph_service.graph.local_neo4j.jar_cache import ensure_jars
from graph_service.graph.local_neo4j.launch_settings import launch_settings
from graph_service.graph.local_neo4j.owner import Owner, ProcessMark, clear_owner, read_owner, try_lock, write_owner
from graph_service.graph.local_neo4j.server_process import ServerProcess, log_tail, start_process
from graph_service.observability.progress import Step, Watcher
from schema.errors import ConflictError, InstallError

PASSWORD_NAME: Final = "password"
STORE_NAME: Final = "neo4j"
# The old store while `replace_store` puts a new one in its place.
_REPLACED_NAME: Final = "neo4j.replaced"
LOCK_POLL_S: Final = 0.05
# A server whose owner died notices within a second and needs another to close its store, more under load. Do not wait
# longer: after a kill the next start recovers from the transaction log.
OLD_SERVER_END_MAX_S: Final = 2.0
# Time for the system to release the memory of a killed process.
KILLED_END_MAX_S: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Start:
    """Parameters of a start; see `start_server`.

    Attributes:
        report: called from the starting thread and from fetching threads with the fields of a step.
        cancelled: once set, the start ends with an InstallError and leaves no process.
    """

    settings: Settings
    lasting: bool
    report: Callable[..., None]
    cancelled: threading.Event

    @property
    def data_dir(self) -> Path:
        return self.settings.data_dir


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnServer:
    """Handle with which the owner stops its server."""

    data_dir: Path
    process: ServerProcess
    mark: ProcessMark
    archive: ClassArchive

    def ended(self) -> bool:
        return self.process.popen.poll() is not None

    def stop(self) -> None:
        """Stop the server and return when the database is closed; a second call does nothing."""
        self.archive.build_now()
        self.process.stop()
        clear_owner(self.data_dir, self.mark)


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """A running local Neo4j.

    Attributes:
        uri: `bolt://127.0.0.1:PORT`; the port changes with each start.
        own: set only in the process that started it.
    """

    uri: str
    password: str = field(repr=False)
    own: OwnServer | None = field(default=None, repr=False)
    user: str = "neo4j"

    @property
    def owned(self) -> bool:
        """True if this process started it and stops it; False if it is shared with another process."""
        return self.own is not None

    async def stop(self) -> None:
        """Stop an owned server, in about a second; close drivers first. No-op for a shared or stopped one."""
        if self.own is not None:
            await asyncio.to_thread(self.own.stop)


class ServerDiedError(InstallError):
    """Java ended before the server answered: it was killed or cannot run here."""


async def start_server(settings: Settings, on_progress: Watcher, *, lasting: bool = False) -> LocalServer:
    """Return the local Neo4j of the data directory; start it unless it is running.

    The first start on a machine downloads about 180 MB of jars into the cache directory, outside of the time limit of
    a start.

    Args:
        on_progress: called in the running event loop.
        lasting: the server will run for long: the start takes a second more, later queries a third less.

    Raises:
        ConflictError: its store is locked by an unknown process.
        InstallError: jars, Java, memory or disk do not allow a start; the message says which.
    """
    loop, cancelled = asyncio.get_running_loop(), threading.Event()

    def report(doing: str, done: int = 0, total: int | None = None) -> None:
        step = Step(part="database", doing=doing, done=done, total=total, unit="bytes")
        loop.call_soon_threadsafe(on_progress, step)

    # The launcher changes its working directory.
    settings = replace(settings, data_dir=settings.data_dir.absolute(), cache_dir=settings.cache_dir.absolute())
    request = _Start(settings=settings, lasting=lasting, report=report, cancelled=cancelled)
    try:
        return await asyncio.to_thread(_get_server, request)
    finally:
        # If the caller was cancelled, end the thread and the process it starts.
        cancelled.set()


def _get_server(request: _Start) -> LocalServer:
    """Return the running or newly started server; blocking. Starts in one directory are serialised by a lock."""
    directory = str(request.data_dir)
    try:
        request.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        while not request.cancelled.is_set():
            with try_lock(request.data_dir / "start.lock") as locked:
                if locked and not _is_starting_elsewhere(request.data_dir):
                    settle_store(request.data_dir)
                    return _running_server(request.data_dir) or _new_server(request)
            request.report("waiting for another process that is starting it")
            request.cancelled.wait(LOCK_POLL_S)
    except OSError as problem:
        raise InstallError(
            f"The data directory {directory!r} of the local Neo4j cannot be used: {problem}."
            " Make it writable, free some space, or name another directory."
        ) from problem
    raise InstallError(f"Starting the local Neo4j of {directory!r} was cancelled.")


def _is_starting_elsewhere(data_dir: Path) -> bool:
    """Return True if another live process is starting a server, which only it may stop."""
    owner = read_owner(data_dir)
    if owner is None or owner.uri or owner.starter.pid == os.getpid():
        return False
    return owner.in_use()


def find_local_server(data_dir: Path) -> LocalServer | None:
    """Return the running server of this directory whose owner is alive, or None; start and change nothing."""
    owner = read_owner(data_dir)
    if owner is None or not owner.uri or not owner.in_use():
        return None
    try:
        password = (data_dir / PASSWORD_NAME).read_text(encoding="utf-8")
    except OSError:
        return None
    return LocalServer(uri=owner.uri, password=password)


def known_server(settings: Settings) -> LocalServer | None:
    """Return the configured server, or the local one if it is running; start nothing."""
    given = settings.neo4j
    if given.uri is not None:
        return LocalServer(uri=given.uri, user=given.user, password=given.password or "")
    return find_local_server(settings.data_dir)


def replace_store(data_dir: Path, fresh: Path) -> None:
    """Put another store of the same password in the place of this directory's, and delete the old one.

    The caller holds the start lock, and no server runs. After an interruption `settle_store` keeps one of the two.
    """
    (data_dir / STORE_NAME).rename(data_dir / _REPLACED_NAME)
    fresh.rename(data_dir / STORE_NAME)
    shutil.rmtree(data_dir / _REPLACED_NAME)


def settle_store(data_dir: Path) -> None:
    """Finish an interrupted `replace_store`: delete the old store if the new one is in place, else put it back."""
    store, replaced = data_dir / STORE_NAME, data_dir / _REPLACED_NAME
    if replaced.is_dir():
        if store.exists():
            shutil.rmtree(replaced, ignore_errors=True)
        else:
            replaced.rename(store)


def _running_server(data_dir: Path) -> LocalServer | None:
    """Return the running server of the directory; else clean up after a dead one and return None."""
    found = find_local_server(data_dir)
    if found is None and (owner := read_owner(data_dir)) is not None:
        _stop_orphan(owner)
        clear_owner(data_dir, owner.server)
    return found


def _stop_orphan(owner: Owner) -> None:
    """Stop a server whose owner is gone; give it time to close its store if it had answered."""
    process = owner.server.process()
    if process is None:
        return
    # A live owner can only be this process: it holds the start lock.
    try:
        process.wait(OLD_SERVER_END_MAX_S if owner.uri else 0)
    except psutil.TimeoutExpired:
        process.kill()
        process.wait(KILLED_END_MAX_S)


def _new_server(request: _Start) -> LocalServer:
    """Start a server; the caller holds the start lock and has cleaned up."""
    jars = ensure_jars(
        request.settings.cache_dir / "jars",
        on_progress=lambda done, total: request.report("downloading Neo4j, once", done, total),
        cancelled=request.cancelled,
    )
    archive = class_archive(request.settings.cache_dir, jars)
    password_path = request.data_dir / PASSWORD_NAME
    has_password = password_path.exists()
    password = password_path.read_text(encoding="utf-8") if has_password else secrets.token_urlsafe(24)
    is_set = has_password and (request.data_dir / STORE_NAME).exists()
    process, port = _launch(request, archive, None if is_set else password)
    try:
        if not has_password:
            write_private(password_path, password)
        uri = f"bolt://127.0.0.1:{port}"
        server = _record(request.data_dir, process, uri)
    except BaseException:
        process.kill()
        raise
    archive.build_later()
    request.report("Neo4j is running", 1)
    own = OwnServer(data_dir=request.data_dir, process=process, mark=server, archive=archive)
    return LocalServer(uri=uri, password=password, own=own)


def _launch(request: _Start, archive: ClassArchive, new_password: str | None) -> tuple[ServerProcess, int]:
    """Start a server process and return it with its port; retry without the class archive if Java dies."""
    archive_options, neo4j = archive.java_options(), request.settings.neo4j
    settings = launch_settings(
        request.data_dir,
        archive.jars,
        heap_mb=neo4j.heap_mb,
        page_cache_mb=neo4j.page_cache_mb,
        new_password=new_password,
        lasting=request.lasting,
        archive_options=archive_options,
    )
    process = start_process(settings)
    try:
        server = _record(request.data_dir, process, "")
        request.report("starting Neo4j")
        report = process.wait_until_ready(timeout_s=neo4j.start_timeout_s, cancelled=request.cancelled)
    except BaseException:
        process.kill()
        owner = read_owner(request.data_dir)
        if owner is not None and owner.server.pid == process.popen.pid:
            clear_owner(request.data_dir, owner.server)
        raise
    if archive_options and report["event"] == "died":
        archive.remove()
        return _launch(request, archive, new_password)
    if archive_options and report["event"] == "ready" and not report["archive_used"]:
        archive.remove()
    if report["event"] != "ready":
        process.kill()
        clear_owner(request.data_dir, server)
        raise _start_error(request.data_dir, str(report["reason"]), died=report["event"] == "died")
    return process, int(report["port"])


def _record(data_dir: Path, process: ServerProcess, uri: str) -> ProcessMark:
    """Write the owner record of this server and return the server's mark."""
    starter, server = ProcessMark.of(psutil.Process().pid), ProcessMark.of(process.popen.pid)
    write_owner(data_dir, Owner(starter=starter, server=server, uri=uri))
    return server


def _start_error(data_dir: Path, reason: str, *, died: bool) -> ConflictError | InstallError:
    log_dir = data_dir / "logs"
    if "FileLockException" in reason:
        return ConflictError(
            f"The store in {str(data_dir)!r} is locked by a process without a record there: {reason}."
            " Stop the Neo4j that uses it, or name another data directory."
        )
    tail = log_tail(log_dir)
    kind = ServerDiedError if died else InstallError
    return kind(
        f"The local Neo4j in {str(data_dir)!r} did not start: {reason}. Its logs are in {str(log_dir)!r}."
        + (f" The end of Java's output: {tail}" if tail else "")
    )
