"""The audit log: one JSON line per write or administrative request, without any message text.

A line that cannot be written (full disk) does not fail the request, which is committed by then; an error would make
the caller repeat it. The loss is counted (`mnemoscene_audit_entries_lost_total`), logged, and reported by `/ready`
until lines can be written again.
"""

import asyncio
import contextlib
import errno
import json
import logging
import os
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from graph_service.observability.metrics import AUDIT_ENTRIES_LOST
from schema.errors import UnavailableError
from schema.failure import failure_of

_log = logging.getLogger("mnemoscene.audit")

FILE_NAME: Final = "audit.jsonl"
_OLDER: Final = "audit.1.jsonl"
TARGETS_MAX: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """A request that was executed or refused.

    Attributes:
        tenant: None for all tenants.
        interface: the API: graphql, rest, live, mcp, cli.
        what: names of root fields, a route or a command.
        targets: UUIDs in the request; other ids may contain text of users.
        outcome: `done`, or the error code.
    """

    at: datetime
    who: str
    tenant: str | None
    interface: str
    what: tuple[str, ...]
    targets: tuple[str, ...] = ()
    outcome: str = "done"


class AuditLog:
    """Appends entries to a file in the data directory; safe for several processes.

    Args:
        bytes_max: maximum size of the current and the previous file together; a file of half this size is rotated.
    """

    def __init__(self, folder: Path, *, bytes_max: int) -> None:
        self._folder = folder
        self._bytes_max = bytes_max
        self._rotation_lock = threading.Lock()
        self._lost = 0
        self._why = ""

    @property
    def problem(self) -> str | None:
        """Return the number of lines lost in a row and the reason; None if the last line was written."""
        return f"{self._lost} lines lost: {self._why}" if self._lost else None

    async def write(self, entry: AuditEntry) -> bool:
        """Write an entry; return False if it was lost."""
        try:
            await asyncio.to_thread(self._append, entry)
        except Exception as error:
            self._lose(entry, error)
            return False
        if self._lost:
            _log.warning("the audit log can be written again; %d lines are missing", self._lost)
            self._lost, self._why = 0, ""
        return True

    def _lose(self, entry: AuditEntry, error: Exception) -> None:
        failure = failure_of(error)
        # The system's message (`No space left on device`) contains nothing of the request.
        self._why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else failure.kind
        self._lost += 1
        AUDIT_ENTRIES_LOST.add()
        extra = {"code": UnavailableError.code, "error": failure.kind, "where": failure.where, "tenant": entry.tenant}
        # Log the first and then every hundredth loss, so as not to fill a full disk.
        level = logging.ERROR if self._lost % 100 == 1 else logging.DEBUG
        _log.log(level, "an audit log entry could not be written and is lost (%s)", self._why, extra=extra)

    def _append(self, entry: AuditEntry) -> None:
        row = {**asdict(entry), "at": entry.at.isoformat(timespec="milliseconds")}
        line = json.dumps(row, ensure_ascii=False).encode(errors="backslashreplace") + b"\n"
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Write again if the file was deleted meanwhile.
        while not self._append_line(self._folder / FILE_NAME, line):
            continue

    def _append_line(self, file: Path, line: bytes) -> bool:
        # A single write with O_APPEND: lines of several writers do not interleave.
        opened = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            # Start a new line if a full disk or a crash truncated the last one.
            if (size := os.fstat(opened).st_size) and os.pread(opened, 1, size - 1) != b"\n":
                line = b"\n" + line
            if os.write(opened, line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            written = os.fstat(opened)
            if written.st_size >= self._bytes_max // 2:
                # Rename the file, unless another writer has done so. While it is open, no new file can reuse its inode.
                with self._rotation_lock, contextlib.suppress(FileNotFoundError):
                    if file.stat().st_ino == written.st_ino:
                        file.replace(self._folder / _OLDER)
        finally:
            os.close(opened)
        return written.st_nlink > 0


def read_audit_log(folder: Path, *, tenant: str | None, rows_max: int) -> list[dict[str, Any]]:
    """Return the last entries, oldest first, without truncated lines.

    Args:
        tenant: only its entries; None means all.
    """
    found = deque[dict[str, Any]](maxlen=rows_max)
    for file in (_OLDER, FILE_NAME):
        found.extend(row for row in _lines(folder / file) if tenant is None or row.get("tenant") == tenant)
    return list(found)


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    if not file.is_file():
        return
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(row, dict):
                yield row
