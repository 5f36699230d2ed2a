"""Download missing jars in parallel; imported only when needed, because its libraries load slowly."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import httpx
from jgo.constants import MAVEN_CENTRAL_URL

from extraction.embeddings.maven_artifact import Jar, NotFetchedError, fetch_jar
from graph_service.graph.local_neo4j.jar_signature import hide_signature, part_file
from schema.errors import InstallError

FETCHES_AT_ONCE: Final = 8


def fetch_jars(
    jars: list[Jar],
    jar_dir: Path,
    *,
    repository_url: str | None,
    on_progress: Callable[[int, int], None] | None,
    stopped: threading.Event,
) -> None:
    """Download jars into a folder, several at a time.

    Args:
        on_progress: called with the bytes done and in total, by one thread at a time.
        stopped: set to cancel the download; it is also set on failure.

    Raises:
        InstallError: a download failed, or was cancelled.
    """
    address, counting = repository_url or MAVEN_CENTRAL_URL, threading.Lock()
    done, total = 0, sum(jar.size_bytes for jar in jars)

    def count(size: int) -> None:
        nonlocal done
        with counting:
            done += size
            if on_progress is not None:
                on_progress(done, total)

    def fetch(client: httpx.Client, jar: Jar) -> None:
        target = jar_dir / jar.file_name
        try:
            with part_file(target) as (part, number):
                with os.fdopen(number, "wb", closefd=False) as file:
                    fetch_jar(client, jar, address, file, count=count, stopped=stopped)
                hide_signature(Path(part))
                os.replace(part, target)
        except NotFetchedError as error:
            if stopped.is_set():
                raise InstallError(
                    "Fetching the jars of the local Neo4j was cancelled; the next start resumes it."
                ) from error
            raise InstallError(
                f"The jar {jar.coordinate!r} of the local Neo4j could not be fetched from {address!r}: {error}. Check"
                " the network (HTTPS_PROXY is respected), or set NEO4J_URI to a Neo4j server of your own."
            ) from error

    count(0)
    with (
        httpx.Client(timeout=httpx.Timeout(30.0), follow_redirects=True) as client,
        ThreadPoolExecutor(FETCHES_AT_ONCE, thread_name_prefix="jar-fetch") as threads,
    ):
        # Large jars first, so that the last ones to arrive are small.
        fetches = [threads.submit(fetch, client, jar) for jar in sorted(jars, key=lambda jar: -jar.size_bytes)]
        try:
            for one in fetches:
                one.result()
        except BaseException:
            stopped.set()
            raise
