"""Download the jars of `jars.lock` into a cache directory, and verify each by its hash before Java loads it.

The cache itself is not trusted: hashes and file metadata of verified files are recorded in the user's state directory
(extraction/verified_files.py). A file with other metadata is hashed again.
"""

import contextlib
import hashlib
import os
import stat
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from extraction.embeddings.maven_artifact import Jar
from extraction.verified_files import hashed, mark_of, read_record, writable_by_others, write_record
from graph_service.graph.local_neo4j.jar_signature import hide_signature, with_signature
from graph_service.graph.local_neo4j.owner import try_lock
from schema.errors import InstallError

LOCK_PATH: Final = Path(__file__).with_name("jars.lock")


def read_lock(lock_path: Path = LOCK_PATH) -> tuple[Jar, ...]:
    """Return the jars of a lock file in its order.

    Raises:
        InstallError: a line is malformed.
    """
    jars: list[Jar] = []
    for number, line in enumerate(lock_path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split()
        if len(fields) != 3 or len(fields[0].split(":")) not in (3, 4) or not fields[2].isdigit():
            raise InstallError(
                f"{lock_path.name} line {number}: {line!r} is not 'group:artifact:version[:classifier] sha256 bytes'."
                " Reinstall the package, or write the lock again with python -m graph_service.graph.local_neo4j.relock."
            )
        jars.append(Jar(coordinate=fields[0], sha256=fields[1], size_bytes=int(fields[2])))
    return tuple(jars)


LOCK_POLL_S: Final = 0.1
# Age of a temporary file after which its process is assumed dead.
LEFTOVER_AGE_S: Final = 3600.0
_MANIFEST: Final = "META-INF/MANIFEST.MF"
_MANIFEST_BYTES_MAX: Final = 2**20


def ensure_jars(
    jar_dir: Path,
    *,
    jars: tuple[Jar, ...] | None = None,
    repository_url: str | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    cancelled: threading.Event | None = None,
) -> tuple[Path, ...]:
    """Return all jars of the lock in order, verified; download missing and damaged ones.

    If a download fails, the finished jars are kept, so that the next call resumes. A lock serialises processes with the
    same directory.

    Args:
        jars: replaces the list in `jars.lock`.
        repository_url: replaces Maven Central.
        on_progress: called with the bytes done and in total, from download threads, one call at a time.
        cancelled: set to end the download with an InstallError.

    Raises:
        InstallError: the repository does not answer or sends a wrong file, or the directory is not writable, is
            writable by others, or has a file that Java would load and that is not in the lock.
    """
    required = read_lock() if jars is None else jars
    stopped = cancelled or threading.Event()
    try:
        jar_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        _refuse_shared(jar_dir.resolve())
        if _missing(jar_dir, required):
            with _exclusive(jar_dir / ".lock", stopped):
                missing = _missing(jar_dir, required)
                _fetch(missing, jar_dir, repository_url, on_progress, stopped)
                _remove_leftovers(jar_dir)
                changed = _missing(jar_dir, required)
                if changed:
                    raise InstallError(
                        f"{str(jar_dir / changed[0].file_name)!r} was changed by another process after its download;"
                        " choose another cache directory"
                    )
    except OSError as problem:
        raise InstallError(
            f"The jars of the local Neo4j cannot be stored in {str(jar_dir)!r}: {problem}."
            " Make the directory writable, free some space (about 160 MB), or name another cache directory."
        ) from problem
    return tuple(jar_dir / jar.file_name for jar in required)


def _fetch(
    missing: list[Jar],
    jar_dir: Path,
    repository_url: str | None,
    on_progress: Callable[[int, int], None] | None,
    stopped: threading.Event,
) -> None:
    # Its libraries take half a second to import; not needed when all jars are in place.
    from graph_service.graph.local_neo4j.jar_fetch import MAVEN_CENTRAL_URL, JarFetch

    JarFetch(jar_dir, repository_url or MAVEN_CENTRAL_URL, missing, on_progress, stopped).run()


@contextlib.contextmanager
def _exclusive(lock_path: Path, stopped: threading.Event) -> Iterator[None]:
    """Wait until no other process downloads into this directory."""
    while not stopped.is_set():
        with try_lock(lock_path) as locked:
            if locked:
                yield
                return
        stopped.wait(LOCK_POLL_S)
    raise InstallError("Waiting for another process that fetches the jars was cancelled.")


def _refuse_shared(jar_dir: Path) -> None:
    """Refuse a directory that other users can write to: they could replace a verified file before Java loads it."""
    shared = writable_by_others(jar_dir)
    above = jar_dir.parent.stat().st_mode
    if not shared and above & stat.S_IWOTH and not above & stat.S_ISVTX:
        shared = f"{str(jar_dir.parent)!r} can be written by everybody"
    if shared:
        raise InstallError(f"Java would load what others may have put there: {shared}. Name another cache directory.")


def _missing(jar_dir: Path, jars: tuple[Jar, ...]) -> list[Jar]:
    """Return jars that are missing or differ from the lock; jars unchanged since the last check are not hashed."""
    recorded = read_record(jar_dir)
    with ThreadPoolExecutor(thread_name_prefix="jar-verify") as threads:
        records = list(threads.map(lambda jar: _verified_record(jar_dir, jar, recorded.get(jar.file_name, "")), jars))
    verified = {jar.file_name: record for jar, record in zip(jars, records, strict=True) if record}
    _refuse_unlocked(jar_dir, verified)
    if verified != recorded:
        write_record(jar_dir, verified)
    return [jar for jar in jars if jar.file_name not in verified]


def _verified_record(jar_dir: Path, jar: Jar, recorded: str) -> str:
    """Return the record (hash, class path, file metadata) of a jar if its content is right; else an empty string."""
    path = jar_dir / jar.file_name
    try:
        state = path.lstat()
        if state.st_size != jar.size_bytes or not stat.S_ISREG(state.st_mode) or writable_by_others(path):
            return ""
        if recorded and recorded.split("|")[0] == jar.sha256 and recorded.split("|")[-1] == mark_of(path.lstat()):
            return recorded
        digest, mark = hashed(path)
        if digest == jar.sha256 and hide_signature(path):
            digest, mark = hashed(path)
        if digest != jar.sha256 and hashlib.sha256(with_signature(path.read_bytes())).hexdigest() != jar.sha256:
            return ""
        return f"{jar.sha256}|{_class_path(path)}|{mark}"
    except OSError:
        return ""


def _class_path(path: Path) -> str:
    """Return the `Class-Path` of a jar's manifest, separated by spaces."""
    try:
        with zipfile.ZipFile(path) as jar, jar.open(_MANIFEST) as manifest:
            # A line that begins with a space continues the previous one.
            text = (
                manifest.read(_MANIFEST_BYTES_MAX).decode("utf-8", "replace").replace("\r\n", "\n").replace("\n ", "")
            )
    except (KeyError, zipfile.BadZipFile):
        return ""
    entries = [line.partition(":")[2].split() for line in text.splitlines() if line.lower().startswith("class-path:")]
    return " ".join(name for names in entries for name in names)


def _refuse_unlocked(jar_dir: Path, verified: dict[str, str]) -> None:
    """Refuse files outside the lock that Java would load through the class path of a jar."""
    for record in verified.values():
        for name in record.split("|")[1].split():
            if name not in verified and os.path.lexists(jar_dir / name):
                raise InstallError(
                    f"{str(jar_dir / name)!r} is not in the lock, and Java would load it: remove it, or choose"
                    " another cache directory"
                )


def _remove_leftovers(jar_dir: Path) -> None:
    oldest_s = time.time() - LEFTOVER_AGE_S
    for part in jar_dir.glob(".*.part"):
        with contextlib.suppress(FileNotFoundError):
            if part.stat().st_mtime < oldest_s:
                part.unlink()
