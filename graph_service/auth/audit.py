"""The audit log: who wrote or administered what and when, one JSON line each; never what people said."""

import asyncio
import contextlib
import json
import os
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

FILE_NAME: Final = "audit.jsonl"
_OLDER: Final = "audit.1.jsonl"
TARGETS_MAX: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
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

    async def note(self, deed: Deed) -> None:
        """Returns when the deed was handed to the operating system."""
        await asyncio.to_thread(self._append, deed)

    def _append(self, deed: Deed) -> None:
        row = {**asdict(deed), "at": deed.at.isoformat(timespec="milliseconds")}
        line = json.dumps(row, ensure_ascii=False).encode() + b"\n"
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # What was written into a file that went meanwhile is gone with it: it is written once more.
        while not self._written(self._folder / FILE_NAME, line):
            continue

    def _written(self, file: Path, line: bytes) -> bool:
        # One write of a file opened for appending: lines of several writers do not mix.
        opened = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(opened, line)
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
    """The last deeds, the oldest of them first; a line that a crash cut is left out.

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
            except ValueError:
                continue
            if isinstance(row, dict):
                yield row
