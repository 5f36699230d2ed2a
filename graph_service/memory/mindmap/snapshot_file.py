"""Keep the last snapshots on disk (SQLite), for a service that starts while its Neo4j is unavailable.

The file is a cache: a damaged one, or one of another version, is replaced. It is readable by its owner only, and what
is forgotten is overwritten.
"""

import asyncio
import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from schema.frames import GraphSnapshot
from schema.ids import TenantId

_log = logging.getLogger("mnemoscene.snapshots")

_FORMAT: Final = 3
_BUSY_MAX_S: Final = 5.0


class SnapshotFile:
    """Snapshots by tenant and user, in one file.

    Args:
        rows_max: the oldest of more rows are deleted.
    """

    def __init__(self, path: Path, *, rows_max: int) -> None:
        self._path = path
        self._rows_max = rows_max

    async def put(self, tenant: TenantId, user_id: str, snapshot: GraphSnapshot) -> None:
        """Store the last snapshot of a memory; a full disk only loses the copy."""
        body = snapshot.model_dump_json().encode()
        await asyncio.to_thread(self._put, str(tenant), user_id, snapshot.as_of, body)

    async def all(self) -> dict[tuple[TenantId, str], GraphSnapshot]:
        """Return all stored snapshots, oldest first."""
        return await asyncio.to_thread(self._all)

    async def position(self) -> int | None:
        """Return the position up to which the file lacks what was forgotten (`store_position`); None if unknown."""

        def position() -> int | None:
            if not self._path.exists():
                return None
            try:
                with self._open() as file:
                    row = file.execute("SELECT max(read_ms) FROM position").fetchone()
            except (OSError, sqlite3.Error):
                return None
            return None if row[0] is None else int(row[0])

        return await asyncio.to_thread(position)

    async def store_position(self, read_ms: int) -> None:
        """Record that nothing which was forgotten until then is in the file; nothing is stored without a file."""

        def store() -> None:
            if not self._path.exists():
                return
            try:
                with self._open() as file:
                    file.execute("INSERT OR REPLACE INTO position VALUES (1, ?)", (read_ms,))
            except (OSError, sqlite3.Error) as error:
                _log.warning("the position of stored snapshots was not stored: %s", type(error).__name__)

        await asyncio.to_thread(store)

    def forget(self, tenant: str | None) -> None:
        """Delete a tenant's snapshots, or all, at once, because something in them was forgotten."""
        if self._path.exists():
            try:
                with self._open() as file:
                    file.execute("DELETE FROM snapshot WHERE tenant = coalesce(?, tenant)", (tenant,))
            except (OSError, sqlite3.Error) as error:
                # Better no snapshot than one with a forgotten text.
                _log.warning("stored snapshots are deleted, because their file cannot be changed: %s", type(error))
                self._path.unlink(missing_ok=True)

    def _put(self, tenant: str, user_id: str, as_of: str, body: bytes) -> None:
        try:
            with self._open() as file:
                file.execute("INSERT OR REPLACE INTO snapshot VALUES (?, ?, ?, ?)", (tenant, user_id, as_of, body))
                file.execute(
                    "DELETE FROM snapshot WHERE rowid NOT IN (SELECT rowid FROM snapshot ORDER BY as_of DESC LIMIT ?)",
                    (self._rows_max,),
                )
        except (OSError, sqlite3.Error) as error:
            _log.warning("a snapshot was not stored: %s", type(error).__name__)

    def _all(self) -> dict[tuple[TenantId, str], GraphSnapshot]:
        if not self._path.exists():
            return {}
        found: dict[tuple[TenantId, str], GraphSnapshot] = {}
        try:
            with self._open() as file:
                rows = file.execute("SELECT tenant, user_id, body FROM snapshot ORDER BY as_of").fetchall()
            for tenant, user_id, body in rows:
                found[TenantId(tenant), user_id] = GraphSnapshot.model_validate_json(body)
        except (OSError, sqlite3.Error, ValidationError) as error:
            _log.warning("stored snapshots cannot be read and are ignored: %s", type(error).__name__)
        return found

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        """Open the file for one transaction; create it if it is missing or damaged."""
        try:
            file = self._connect()
        except sqlite3.DatabaseError:
            self._path.unlink(missing_ok=True)
            file = self._connect()
        try:
            with file:
                yield file
        finally:
            file.close()

    def _connect(self) -> sqlite3.Connection:
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        file = sqlite3.connect(self._path, timeout=_BUSY_MAX_S)
        try:
            file.execute("PRAGMA secure_delete = ON")
            if file.execute("PRAGMA user_version").fetchone()[0] != _FORMAT:
                file.executescript(
                    "DROP TABLE IF EXISTS snapshot; DROP TABLE IF EXISTS position;"
                    " CREATE TABLE snapshot"
                    " (tenant TEXT, user_id TEXT, as_of TEXT, body BLOB, PRIMARY KEY (tenant, user_id));"
                    " CREATE TABLE position (file INTEGER PRIMARY KEY, read_ms INTEGER);"
                    f" PRAGMA user_version = {_FORMAT};"
                )
        except sqlite3.Error:
            file.close()
            raise
        return file
