"""A jar's file is written beside its place and put there whole, so that nobody ever sees half of one."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def part_file(target: Path) -> Iterator[tuple[str, int]]:
    """A fresh open file beside `target`; removed at the end unless it was renamed."""
    number, part = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".part")
    try:
        yield part, number
    finally:
        os.close(number)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
