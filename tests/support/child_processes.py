"""Find the processes that `extraction.child_process` runs for this one."""

import contextlib
import os
import threading
from pathlib import Path


def computing_children() -> int:
    """Return the number of child processes that compute."""
    listed = Path(f"/proc/{os.getpid()}/task/{threading.main_thread().native_id}/children").read_text("utf-8")
    found = 0
    for process in listed.split():
        with contextlib.suppress(OSError):
            found += "answer_parent" in Path(f"/proc/{process}/cmdline").read_text("utf-8")
    return found
