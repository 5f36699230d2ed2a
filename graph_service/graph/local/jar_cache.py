"""Fetch the jars named in `jars.lock` into a cache directory, and prove each by its hash before Java loads it.

Nothing in the cache vouches for it: which files were hashed, and what they looked like then, is recorded in the user's
own state directory (extraction/verified_files.py). A file that looks otherwise is hashed anew.
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
from graph_service.graph.local.jar_lock import FetchProgress, read_lock
from graph_service.graph.local.jar_signature import hide_signature, with_signature
from graph_service.graph.local.owner import try_lock
from schema.errors import InstallError

LOCK_POLL_S: Final = 0.1
# Half-written files of a killed process; younger ones may belong to a running one.
LEFTOVER_AGE_S: Final = 3600.0
_MANIFEST: Final = "META-INF/MANIFEST.MF"
_MANIFEST_BYTES_MAX: Final = 2**20


def ensure_jars(
    jar_dir: Path,
    *,
    jars: tuple[Jar, ...] | None = None,
    repository_url: str | None = None,
    on_progress: Callable[[FetchProgress], None] | None = None,
    cancelled: threading.Event | None = None,
) -> tuple[Path, ...]:
    """Return every jar of the lock, in its order, verified; missing and damaged ones are fetched.

    A jar that is in place stays when the fetch breaks off, so the next call goes on from there. Processes that ask for
    the same directory at once take turns.

    Args:
        jars: other than those of the checked-in lock.
        repository_url: other than Maven's central repository.
        on_progress: called from fetching threads, one call at a time.
        cancelled: once set, the fetch ends with an InstallError.

    Raises:
        InstallError: the repository cannot be reached, answers another file, or the directory cannot be written, can
            be written by others, or holds a file that Java would load and the lock does not name.
    """
    wanted = read_lock() if jars is None else jars
    stopped = cancelled or threading.Event()
    try:
        jar_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        _refuse_shared(jar_dir.resolve())
        if _missing(jar_dir, wanted):
            with _turn(jar_dir / ".lock", stopped):
                missing = _missing(jar_dir, wanted)
                _fetch(missing, jar_dir, repository_url, on_progress, stopped)
                _remove_leftovers(jar_dir)
                changed = _missing(jar_dir, wanted)
                if changed:
                    raise InstallError(
                        f"{str(jar_dir / changed[0].file_name)!r} was changed by somebody else after it was fetched;"
                        " name another cache directory"
                    )
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


def _refuse_shared(jar_dir: Path) -> None:
    """Refuse a directory that other users can write: what was proved could be exchanged before Java loads it.

    Raises:
        InstallError: it can.
    """
    shared = writable_by_others(jar_dir)
    above = jar_dir.parent.stat().st_mode
    if not shared and above & stat.S_IWOTH and not above & stat.S_ISVTX:
        shared = f"{str(jar_dir.parent)!r} can be written by everybody"
    if shared:
        raise InstallError(f"Java would load what others may have put there: {shared}. Name another cache directory.")


def _missing(jar_dir: Path, jars: tuple[Jar, ...]) -> list[Jar]:
    """Return jars that are absent or not what the lock says; a jar unchanged since it was hashed is not read again.

    Raises:
        InstallError: a jar names a file that is there and not in the lock.
    """
    known = read_record(jar_dir)
    with ThreadPoolExecutor(thread_name_prefix="jar-verify") as threads:
        proofs = list(threads.map(lambda jar: _proof(jar_dir, jar, known.get(jar.file_name, "")), jars))
    proved = {jar.file_name: proof for jar, proof in zip(jars, proofs, strict=True) if proof}
    _refuse_unlocked(jar_dir, proved)
    if proved != known:
        write_record(jar_dir, proved)
    return [jar for jar in jars if jar.file_name not in proved]


def _proof(jar_dir: Path, jar: Jar, known: str) -> str:
    """Return what is recorded of a jar whose content is right: hash, class path and mark; empty for any other."""
    path = jar_dir / jar.file_name
    try:
        state = path.lstat()
        if state.st_size != jar.size_bytes or not stat.S_ISREG(state.st_mode) or writable_by_others(path):
            return ""
        if known and known.split("|")[0] == jar.sha256 and known.split("|")[-1] == mark_of(path.lstat()):
            return known
        digest, mark = hashed(path)
        if digest == jar.sha256 and hide_signature(path):
            digest, mark = hashed(path)
        if digest != jar.sha256 and hashlib.sha256(with_signature(path.read_bytes())).hexdigest() != jar.sha256:
            return ""
        return f"{jar.sha256}|{_class_path(path)}|{mark}"
    except OSError:
        return ""


def _class_path(path: Path) -> str:
    """Return the other files that a jar's manifest has Java load too, separated by spaces."""
    try:
        with zipfile.ZipFile(path) as jar, jar.open(_MANIFEST) as manifest:
            # A line that begins with a space goes on where the one before it ended.
            text = (
                manifest.read(_MANIFEST_BYTES_MAX).decode("utf-8", "replace").replace("\r\n", "\n").replace("\n ", "")
            )
    except (KeyError, zipfile.BadZipFile):
        return ""
    entries = [line.partition(":")[2].split() for line in text.splitlines() if line.lower().startswith("class-path:")]
    return " ".join(name for names in entries for name in names)


def _refuse_unlocked(jar_dir: Path, proved: dict[str, str]) -> None:
    """Refuse files that a proved jar would draw in, by its own class path, beside those of the lock.

    Raises:
        InstallError: there is one.
    """
    for proof in proved.values():
        for name in proof.split("|")[1].split():
            if name not in proved and os.path.lexists(jar_dir / name):
                raise InstallError(
                    f"{str(jar_dir / name)!r} is in no lock of ours, and Java would load it: remove it, or name another"
                    " cache directory"
                )


def _remove_leftovers(jar_dir: Path) -> None:
    oldest_s = time.time() - LEFTOVER_AGE_S
    for part in jar_dir.glob(".*.part"):
        with contextlib.suppress(FileNotFoundError):
            if part.stat().st_mtime < oldest_s:
                part.unlink()
