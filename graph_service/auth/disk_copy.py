"""A copy on disk of a list that every request needs, for a process that starts while the database is unavailable."""

import contextlib
import logging
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import TypeAdapter

from extraction.verified_files import write_private

_log = logging.getLogger("mnemoscene.disk_copy")

T = TypeVar("T")


class DiskCopy(Generic[T]):
    """The last value of one list, in a file that only this user can read."""

    def __init__(self, path: Path, adapter: TypeAdapter[T]) -> None:
        self._path = path
        self._adapter = adapter
        self._stored_text = ""

    def put(self, value: T) -> None:
        """Store a value if it changed; a failure only affects a start without the database."""
        text = self._adapter.dump_json(value).decode()
        if text == self._stored_text:
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_private(self._path, text)
        except OSError as error:
            # The old file may allow what has been denied since.
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)
            _log.warning("%s could not be stored on disk (%s)", self._path.name, type(error).__name__)
        else:
            self._stored_text = text

    def get(self) -> T | None:
        """Return the stored value; None if there is none or it cannot be read."""
        try:
            return self._adapter.validate_json(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
