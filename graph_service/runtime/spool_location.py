"""Locate the files of the configured database, such as its spool."""

import hashlib
from pathlib import Path

from graph_service.config.settings import Settings
from graph_service.memory.ingest.spool import Spool


def open_spool(settings: Settings) -> Spool:
    return Spool(file_of_database(settings, "spool", "sqlite3"), bytes_max=settings.spool.mb_max * 2**20)


def file_of_database(settings: Settings, name: str, ending: str) -> Path:
    given = settings.neo4j
    # Messages for one database must not be replayed into another.
    mark = f"-{hashlib.sha256(f'{given.uri} {given.database}'.encode()).hexdigest()[:12]}" if given.uri else ""
    return settings.data_dir / f"{name}{mark}.{ending}"
