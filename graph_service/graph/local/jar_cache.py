"""Fetches the jars named in `jars.lock` into a cache directory and proves each by its hash."""

import contextlib
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from extraction.maven_jar import Jar
from graph_service.graph.local.jar_lock import FetchProgress, read_lock
from graph_service.graph.local.jar_signature import hide_signature, with_signature
from graph_service.graph.local.owner import try_lock, write_private
from schema.errors import InstallError

LOCK_POLL_S: Final = 0.1
# Half-written files of a killed process; younger ones may belong to a running one.
LEFTOVER_AGE_S: Final = 3600.0
# Hash, size and time of change of the jars proved so far, whose signatures are hidden.
VERIFIED_NAME: Final = "proved.json"


def ensure_jars(
    jar_dir: Path,
    *,
    jars: tuple[Jar, ...] | None = None,
    repository_url: str | None = None,
    on_progress: Callable[[FetchProgress], None] | None = None,
    cancelled: threading.Event | None = None,
) -> tuple[Path, ...]:
    """Every jar of the lock, in its order, verified; missing and damaged ones are fetched.

    A jar that is in place stays when the fetch breaks off, so the next call goes on from there. Processes that ask for
    the same directory at once take turns.

    Args:
        jars: other than those of the checked-in lock.
        repository_url: other than Maven's central repository.
        on_progress: called from fetching threads, one call at a time.
        cancelled: once set, the fetch ends with an InstallError.

    Raises:
        InstallError: the repository cannot be reached, answers another file, or the directory cannot be written.
    """
    wanted = read_lock() if jars is None else jars
    stopped = cancelled or threading.Event()
    try:
        jar_dir.mkdir(parents=True, exist_ok=True)
        if _missing(jar_dir, wanted):
            with _turn(jar_dir / ".lock", stopped):
                missing = _missing(jar_dir, wanted)
                _fetch(missing, jar_dir, repository_url, on_progress, stopped)
                _remove_leftovers(jar_dir)
    except OSError as problem:
        raise InstallError(
            f"The jars of the local Neo4j cannot be stored in {str(jar_dir)!r}: {problem}."
            " Make the directory writable, free some space (about 160 MB), or name another cache directory."
        ) from problem
    return tuple(jar_dir / jar.file_name for jar in wanted)


def _fetch(
    missing: list[Jar],
    jar_dir: Path,
    repository_url: str | None,
    on_progress: Callable[[FetchProgress], None] | None,
    stopped: threading.Event,
) -> None:
    # Its libraries take half a second to load, which a start with all jars in place does not wait for.
    from graph_service.graph.local.jar_fetch import MAVEN_CENTRAL_URL, JarFetch

    JarFetch(jar_dir, repository_url or MAVEN_CENTRAL_URL, missing, on_progress, stopped).run()


@contextlib.contextmanager
def _turn(lock_path: Path, stopped: threading.Event) -> Iterator[None]:
    """Wait until no other process fetches into this directory."""
    while not stopped.is_set():
        with try_lock(lock_path) as mine:
            if mine:
                yield
                return
        stopped.wait(LOCK_POLL_S)
    raise InstallError("Waiting for another process that fetches the jars was cancelled.")


def _missing(jar_dir: Path, jars: tuple[Jar, ...]) -> list[Jar]:
    """Jars that are absent or not what the lock says; a jar unchanged since it was hashed is not read again."""
    known = _read_verified(jar_dir)
    with ThreadPoolExecutor(thread_name_prefix="jar-verify") as threads:
        marks = list(threads.map(lambda jar: _verify(jar_dir, jar, known), jars))
    verified = {jar.sha256: mark for jar, mark in zip(jars, marks, strict=True) if mark}
    if verified != known:
        write_private(jar_dir / VERIFIED_NAME, json.dumps(verified))
    return [jar for jar in jars if jar.sha256 not in verified]


def _verify(jar_dir: Path, jar: Jar, known: dict[str, str]) -> str:
    """Size and time of change of a jar whose content is right; empty for any other."""
    path = jar_dir / jar.file_name
    try:
        state = path.stat()
        mark = f"{state.st_size} {state.st_mtime_ns}"
        if state.st_size != jar.size_bytes:
            return ""
        if known.get(jar.sha256) == mark:
            return mark
        if hashlib.sha256(with_signature(path.read_bytes())).hexdigest() != jar.sha256:
            return ""
        hide_signature(path)
        state = path.stat()
        return f"{state.st_size} {state.st_mtime_ns}"
    except FileNotFoundError:
        return ""


def _read_verified(jar_dir: Path) -> dict[str, str]:
    try:
        known = json.loads((jar_dir / VERIFIED_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _remove_leftovers(jar_dir: Path) -> None:
    oldest_s = time.time() - LEFTOVER_AGE_S
    for part in jar_dir.glob(".*.part"):
        with contextlib.suppress(FileNotFoundError):
            if part.stat().st_mtime < oldest_s:
                part.unlink()
