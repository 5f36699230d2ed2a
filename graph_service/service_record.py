"""Where the service of a data directory answers, so that others on this machine find it."""

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

from extraction.proven_files import write_private
from graph_service.graph.local.owner import ProcessMark
from graph_service.settings import Settings

_NAME: Final = "service.json"


@contextlib.contextmanager
def recorded(settings: Settings, address: str) -> Iterator[None]:
    """Inside the block others find the service of this process; of two services the one that began last is found.

    Args:
        address: `http://host:port`.
    """
    file, mine = settings.data_dir / _NAME, ProcessMark.of(os.getpid())
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    write_private(file, json.dumps({"process": asdict(mine), "address": address, "neo4j": settings.neo4j.uri}))
    try:
        yield
    finally:
        if _read(settings) == (mine, address, settings.neo4j.uri):
            file.unlink(missing_ok=True)


def running_service(settings: Settings) -> str | None:
    """Where the service of this data directory and database answers; None when none runs."""
    found = _read(settings)
    if found is None:
        return None
    process, address, neo4j = found
    return address if neo4j == settings.neo4j.uri and process.process() is not None else None


def _read(settings: Settings) -> tuple[ProcessMark, str, str | None] | None:
    try:
        record = json.loads((settings.data_dir / _NAME).read_text(encoding="utf-8"))
        return ProcessMark(**record["process"]), str(record["address"]), record["neo4j"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
