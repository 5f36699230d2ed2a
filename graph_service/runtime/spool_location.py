"""Locate the spool of the configured database, and store messages in it while the database is unavailable."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path

from graph_service.config.settings import Settings
from graph_service.memory.ingest.episode_writer import Receipt, spool_episode
from graph_service.memory.ingest.spool import Spool
from graph_service.memory.ingest.validation import RememberRequest, check_request
from schema.ids import TenantId


def open_spool(settings: Settings) -> Spool:
    """Return the spool of the configured database."""
    return Spool(file_of_database(settings, "spool", "sqlite3"), bytes_max=settings.spool.mb_max * 2**20)


def file_of_database(settings: Settings, name: str, ending: str) -> Path:
    """Return a file in the data directory that belongs to the configured database."""
    given = settings.neo4j
    # Messages for one database must not be replayed into another.
    mark = f"-{hashlib.sha256(f'{given.uri} {given.database}'.encode()).hexdigest()[:12]}" if given.uri else ""
    return settings.data_dir / f"{name}{mark}.{ending}"


async def remember_offline(settings: Settings, tenant: TenantId, incoming: RememberRequest) -> Receipt:
    """Store messages in the spool; the next process that reaches the database replays them.

    Raises:
        InputError: listing every mistake; nothing was stored.
        UnavailableError: the spool or the disk is full.
    """
    spool = open_spool(settings)
    try:
        return await spool_episode(spool, check_request(tenant, incoming, now=datetime.now(UTC)))
    finally:
        await spool.close()
