"""A process that backs up or restores, and kills itself (kill -9) after so many bytes. Run by test_backup.py."""

import os
import signal
import sys
from pathlib import Path

from graph_service.admin.backup import back_up, restore


def _die_after(bytes_n: int, done: int) -> None:
    if done >= bytes_n:
        os.kill(os.getpid(), signal.SIGKILL)


def _main(what: str, first: str, second: str, bytes_n: str) -> None:
    act = {"backup": back_up, "restore": restore}[what]
    act(Path(first), Path(second), on_progress=lambda done, _total: _die_after(int(bytes_n), done))


_main(*sys.argv[1:])
