"""The audit log: who wrote or administered what and when, one JSON line each; never what people said.

A line that cannot be written (a full disk) fails no request: what was done is committed by then, and an answer that
says otherwise would have it done twice. The line is lost, counted (`mnemograph_audit_lines_lost_total`), logged, and
shown in `/ready` until lines can be written again.
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

from graph_service.observability.metrics import AUDIT_LOST
from schema.errors import UnavailableError
from schema.failure import failure_of

_log = logging.getLogger("mnemograph.audit")

FILE_NAME: Final = "audit.jsonl"
_OLDER: Final = "audit.1.jsonl"
TARGETS_MAX: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One thing somebody did or was refused.

    Attributes:
        tenant: None when it concerned all.
        door: graphql, rest, live, mcp, cli.
        what: names of root fields, a route or a command.
        targets: ids of what it was done to, as far as the request names ids that hold no words.
        outcome: `done`, or the code of the error.
    """

    at: datetime
    who: str
    tenant: str | None
    door: str
    what: tuple[str, ...]
    targets: tuple[str, ...] = ()
    outcome: str = "done"


class AuditLog:
    """Appends to a file of the data directory; several processes may do so at once.

    Args:
        bytes_max: when a file has half of it, it becomes the older one, and the older one before it goes.
    """

    def __init__(self, folder: Path, *, bytes_max: int) -> None:
        self._folder = folder
        self._bytes_max = bytes_max
        self._turning = threading.Lock()
        self._lost = 0
        self._why = ""

    @property
    def problem(self) -> str | None:
        """Return why the last line could not be written, and how many were lost in a row; None while lines are
        written.
        """
        return f"{self._lost} lines lost: {self._why}" if self._lost else None

    async def note(self, deed: AuditEntry) -> bool:
        """Return when the deed was handed to the operating system; False when it was lost instead."""
        try:
            await asyncio.to_thread(self._append, deed)
        except Exception as error:
            self._lose(deed, error)
            return False
        if self._lost:
            _log.warning("the audit log is written again; %d lines are missing", self._lost)
            self._lost, self._why = 0, ""
        return True

    def _lose(self, deed: AuditEntry, error: Exception) -> None:
        failure = failure_of(error)
        # The operating system's own word (`No space left on device`) holds nothing of a request.
        self._why = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else failure.kind
        self._lost += 1
        AUDIT_LOST.add()
        extra = {"code": UnavailableError.code, "error": failure.kind, "where": failure.where, "tenant": deed.tenant}
        # Once when it begins, and then of every hundredth line: a full disk must not be filled further.
        level = logging.ERROR if self._lost % 100 == 1 else logging.DEBUG
        _log.log(level, "a line of the audit log could not be written and is lost (%s)", self._why, extra=extra)

    def _append(self, deed: AuditEntry) -> None:
        row = {**asdict(deed), "at": deed.at.isoformat(timespec="milliseconds")}
        line = json.dumps(row, ensure_ascii=False).encode(errors="backslashreplace") + b"\n"
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # What was written into a file that went meanwhile is gone with it: it is written once more.
        while not self._written(self._folder / FILE_NAME, line):
            continue

    def _written(self, file: Path, line: bytes) -> bool:
        # One write of a file opened for appending: lines of several writers do not mix.
        opened = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            # A line that was cut by a full disk or a crash must not swallow this one.
            if (size := os.fstat(opened).st_size) and os.pread(opened, 1, size - 1) != b"\n":
                line = b"\n" + line
            if os.write(opened, line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            written = os.fstat(opened)
            if written.st_size >= self._bytes_max // 2:
                # Before it is closed: a file that is open keeps its inode, a new one cannot be taken for it.
                self._make_older(file, written.st_ino)
        finally:
            os.close(opened)
        return written.st_nlink > 0

    def _make_older(self, file: Path, inode: int) -> None:
        """Unless another writer did so meanwhile: the new file must not take the older one's place."""
        with self._turning, contextlib.suppress(FileNotFoundError):
            if file.stat().st_ino == inode:
                file.replace(self._folder / _OLDER)


def audited(folder: Path, *, tenant: str | None, rows_max: int) -> list[dict[str, Any]]:
    """Return the last deeds, the oldest of them first; a line that a crash cut is left out.

    Args:
        tenant: only deeds in it; all for None.
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
