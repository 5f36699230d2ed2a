"""Write jar files atomically: to a temporary file that is renamed."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def part_file(target: Path) -> Iterator[tuple[str, int]]:
    """Yield a temporary file in the folder of `target`; delete it unless it was renamed."""
    number, part = tempfile.mkstemp(dir=target.parent, prefix=".", suffix=".part")
    try:
        yield part, number
    finally:
        os.close(number)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
