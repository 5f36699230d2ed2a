"""Measure the free space on the disk of the data directory."""

import shutil
from pathlib import Path
from typing import Any, Final

# With this part of the limit, messages can no longer be stored reliably.
_FULL_SHARE: Final = 0.1


def disk_space(folder: Path, free_mb_min: int) -> dict[str, Any]:
    """Return the free space in MB and its state: `ok`, `low` below the limit, `full` below a tenth of it, or `unknown`.

    Args:
        folder: a directory, which may not exist yet.
        free_mb_min: the limit in MB; 0 means none.
    """
    try:
        nearest = next(one for one in (folder, *folder.parents) if one.exists())
        free_mb = shutil.disk_usage(nearest).free // 1_000_000
    except (OSError, StopIteration):
        return {"free_mb": None, "state": "unknown"}
    state = "full" if free_mb < free_mb_min * _FULL_SHARE else "low" if free_mb < free_mb_min else "ok"
    return {"free_mb": free_mb, "state": state}
