"""Download missing jars in parallel; imported only when needed, because its libraries load slowly."""

import hashlib
import itertools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import httpx
from jgo.constants import MAVEN_CENTRAL_URL as JGO_URL

from extraction.embeddings.maven_artifact import Jar, WrongContentError, failed_attempt
from extraction.verified_files import replacing
from graph_service.graph.local_neo4j.jar_signature import hide_signature
from schema.errors import InstallError

FETCHES_AT_ONCE: Final = 8
CHUNK_BYTES: Final = 256 * 1024
MAVEN_CENTRAL_URL: Final[str] = JGO_URL


@dataclass(slots=True)
class JarFetch:
    """One download of the missing jars; the counter is shared by its threads.

    Args:
        stopped: set to cancel the run; the run sets it on failure.
    """

    jar_dir: Path
    repository_url: str
    jars: list[Jar]
    on_progress: Callable[[int, int], None] | None
    stopped: threading.Event
    _counting: threading.Lock = field(default_factory=threading.Lock)
    _bytes_done: int = 0

    def run(self) -> None:
        """Download all jars.

        Raises:
            InstallError: a download failed, or the run was cancelled.
        """
        self._count(0)
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
        for attempt in itertools.count():
            if self.stopped.is_set():
                raise InstallError("Fetching the jars of the local Neo4j was cancelled; the next start resumes it.")
            try:
                self._fetch(client, jar)
            except (httpx.HTTPError, WrongContentError) as error:
                problem, pause_s = failed_attempt(error, attempt)
            else:
                return
            if pause_s is None:
                raise InstallError(
                    f"The jar {jar.coordinate!r} of the local Neo4j could not be fetched from {self.repository_url!r}:"
                    f" {problem}. Check the network (HTTPS_PROXY is respected), or set NEO4J_URI to a Neo4j"
                    " server of your own."
                )
            self.stopped.wait(pause_s)

    def _fetch(self, client: httpx.Client, jar: Jar) -> None:
        """Download one jar."""
        path, digest, size = self.jar_dir / jar.file_name, hashlib.sha256(), 0
        with (
            client.stream("GET", f"{self.repository_url.rstrip('/')}/{jar.repository_path}") as response,
            replacing(path) as file,
        ):
            response.raise_for_status()
            for chunk in response.iter_bytes(CHUNK_BYTES):
                if self.stopped.is_set() or size > jar.size_bytes:
                    break
                file.write(chunk)
                digest.update(chunk)
                size += len(chunk)
                self._count(len(chunk))
            try:
                jar.check(digest.hexdigest(), size)
            except WrongContentError:
                self._count(-size)
                raise
        hide_signature(path)

    def _count(self, size_bytes: int) -> None:
        with self._counting:
            self._bytes_done += size_bytes
            if self.on_progress is not None:
                self.on_progress(self._bytes_done, sum(jar.size_bytes for jar in self.jars))
