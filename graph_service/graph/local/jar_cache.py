"""Fetches the jars named in `jars.lock` into a cache directory and proves each by its hash."""

import contextlib
import hashlib
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
from jgo.constants import MAVEN_CENTRAL_URL

from graph_service.graph.local.jar_signature import with_signature, without_signature
from graph_service.graph.local.owner import try_lock, write_private
from schema.errors import InstallError

LOCK_PATH: Final = Path(__file__).with_name("jars.lock")
FETCHES_AT_ONCE: Final = 8
TRIES_MAX: Final = 4
RETRY_WAIT_S: Final = 0.25
LOCK_POLL_S: Final = 0.1
# Half-written files of a killed process; younger ones may belong to a running one.
LEFTOVER_AGE_S: Final = 3600.0
CHUNK_BYTES: Final = 256 * 1024
# Hash, size and time of change of the jars proved so far, whose signatures are hidden.
VERIFIED_NAME: Final = "proved.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Jar:
    """One line of the lock."""

    coordinate: str
    sha256: str
    size_bytes: int

    @property
    def file_name(self) -> str:
        """Unique among the lock: artifacts of two groups may share name and version."""
        return self.coordinate.replace(":", "-") + ".jar"

    @property
    def repository_path(self) -> str:
        """Path below the repository address, as Maven lays it out."""
        group, artifact, version, *classifier = self.coordinate.split(":")
        file_name = "-".join([artifact, version, *classifier])
        return f"{group.replace('.', '/')}/{artifact}/{version}/{file_name}.jar"


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchProgress:
    """How far the fetch is; jars found in the cache are not counted."""

    jars_done: int
    jars_total: int
    bytes_done: int
    bytes_total: int


def read_lock(lock_path: Path = LOCK_PATH) -> tuple[Jar, ...]:
    """The jars of a lock file in its order.

    Raises:
        InstallError: a line has another shape.
    """
    jars: list[Jar] = []
    for number, line in enumerate(lock_path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split()
        if len(fields) != 3 or len(fields[0].split(":")) not in (3, 4) or not fields[2].isdigit():
            raise InstallError(
                f"{lock_path.name} line {number}: {line!r} is not 'group:artifact:version[:classifier] sha256 bytes'."
                " Reinstall the package, or write the lock again with python -m graph_service.graph.local.relock."
            )
        jars.append(Jar(coordinate=fields[0], sha256=fields[1], size_bytes=int(fields[2])))
    return tuple(jars)


def ensure_jars(
    jar_dir: Path,
    *,
    jars: tuple[Jar, ...] | None = None,
    repository_url: str = MAVEN_CENTRAL_URL,
    on_progress: Callable[[FetchProgress], None] | None = None,
    cancelled: threading.Event | None = None,
) -> tuple[Path, ...]:
    """Every jar of the lock, in its order, verified; missing and damaged ones are fetched.

    A jar that is in place stays when the fetch breaks off, so the next call goes on from there. Processes that ask for
    the same directory at once take turns.

    Args:
        jars: other than those of the checked-in lock.
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
                _Fetch(jar_dir, repository_url, missing, on_progress, stopped).run()
                _remove_leftovers(jar_dir)
    except OSError as problem:
        raise InstallError(
            f"The jars of the local Neo4j cannot be stored in {str(jar_dir)!r}: {problem}."
            " Make the directory writable, free some space (about 160 MB), or name another cache directory."
        ) from problem
    return tuple(jar_dir / jar.file_name for jar in wanted)


@dataclass(slots=True)
class _Fetch:
    """One run over the missing jars; counts are shared by its threads."""

    jar_dir: Path
    repository_url: str
    jars: list[Jar]
    on_progress: Callable[[FetchProgress], None] | None
    stopped: threading.Event
    _counting: threading.Lock = field(default_factory=threading.Lock)
    _jars_done: int = 0
    _bytes_done: int = 0

    def run(self) -> None:
        self._count(0, 0)
        # Large jars first, so that the last ones to arrive are small.
        queue = sorted(self.jars, key=lambda jar: -jar.size_bytes)
        with (
            httpx.Client(timeout=httpx.Timeout(30.0), follow_redirects=True) as client,
            ThreadPoolExecutor(FETCHES_AT_ONCE, thread_name_prefix="jar-fetch") as threads,
        ):
            waiting = [threads.submit(self._fetch_with_retries, client, jar) for jar in queue]
            try:
                for fetch in waiting:
                    fetch.result()
            except BaseException:
                self.stopped.set()
                raise

    def _fetch_with_retries(self, client: httpx.Client, jar: Jar) -> None:
        problem = ""
        for attempt in range(TRIES_MAX):
            if self.stopped.is_set() or (attempt and self.stopped.wait(RETRY_WAIT_S * 2**attempt)):
                raise InstallError("Fetching the jars of the local Neo4j was cancelled; the next start goes on.")
            try:
                problem = self._fetch(client, jar)
            except httpx.HTTPStatusError as error:
                problem = f"the repository answered {error.response.status_code}"
                if error.response.is_client_error:
                    break
            except httpx.HTTPError as error:
                problem = f"{type(error).__name__}: {error}"
            if not problem:
                self._count(1, 0)
                return
        raise InstallError(
            f"The jar {jar.coordinate!r} of the local Neo4j could not be fetched from {self.repository_url!r}:"
            f" {problem}. Check the network (HTTPS_PROXY is respected), or set NEO4J_URI to a Neo4j server of your own."
        )

    def _fetch(self, client: httpx.Client, jar: Jar) -> str:
        """Put one jar in place; returns what was wrong with the answer, or an empty string."""
        digest, size = hashlib.sha256(), 0
        with (
            client.stream("GET", f"{self.repository_url.rstrip('/')}/{jar.repository_path}") as response,
            _part_file(self.jar_dir / jar.file_name) as (part, number),
        ):
            response.raise_for_status()
            with os.fdopen(number, "wb", closefd=False) as file:
                for chunk in response.iter_bytes(CHUNK_BYTES):
                    if self.stopped.is_set() or size > jar.size_bytes:
                        break
                    file.write(chunk)
                    digest.update(chunk)
                    size += len(chunk)
                    self._count(0, len(chunk))
            if digest.hexdigest() == jar.sha256:
                _hide_signature(Path(part))
                os.replace(part, self.jar_dir / jar.file_name)
                return ""
        self._count(0, -size)
        return f"its {size} bytes have sha256 {digest.hexdigest()}, the lock says {jar.size_bytes} bytes, {jar.sha256}"

    def _count(self, jars: int, size_bytes: int) -> None:
        with self._counting:
            self._jars_done += jars
            self._bytes_done += size_bytes
            if self.on_progress is not None:
                self.on_progress(
                    FetchProgress(
                        jars_done=self._jars_done,
                        jars_total=len(self.jars),
                        bytes_done=self._bytes_done,
                        bytes_total=sum(jar.size_bytes for jar in self.jars),
                    )
                )


@contextlib.contextmanager
def _part_file(target: Path) -> Iterator[tuple[str, int]]:
    """A fresh open file beside `target`; removed at the end unless it was renamed."""
    number, part = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".part")
    try:
        yield part, number
    finally:
        os.close(number)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


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
        _hide_signature(path)
        state = path.stat()
        return f"{state.st_size} {state.st_mtime_ns}"
    except FileNotFoundError:
        return ""


def _hide_signature(path: Path) -> None:
    """A running Java keeps the file it has open."""
    shown = path.read_bytes()
    hidden = without_signature(shown)
    if hidden != shown:
        with _part_file(path) as (part, number):
            with os.fdopen(number, "wb", closefd=False) as file:
                file.write(hidden)
            os.replace(part, path)


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
