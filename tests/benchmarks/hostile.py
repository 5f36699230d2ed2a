"""Run all benchmarks of hostile callers: `python -m tests.benchmarks.hostile`.

    python -m tests.benchmarks.hostile [--checkout DIR] [--folder DIR] [--skip NAME ...] [-- ARGUMENTS OF attacks]

Runs `tests.benchmarks.attacks`, `tests.benchmarks.silent_crowd` and `tests.benchmarks.kill_drill` in separate
processes, if they exist, and prints at the end which of them passed. The output of each goes to stdout and to a file of
its name in the folder. The exit code is 0 only if all of them passed. They take nearly two hours on an otherwise idle
machine.
"""

import argparse
import contextlib
import importlib.util
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

BENCHES: Final = ("attacks", "silent_crowd", "kill_drill")
_ENDED_MAX_S: Final = 60.0


def ran(name: str, arguments: list[str], into: Path | None) -> int:
    """Run one benchmark, show its output, and return its exit code; it ends with this process."""
    process = subprocess.Popen(
        [sys.executable, "-m", f"tests.benchmarks.{name}", *arguments], stdout=subprocess.PIPE, text=True
    )
    with contextlib.ExitStack() as stack:
        file = stack.enter_context(into.open("w", encoding="utf-8")) if into else None
        try:
            assert process.stdout is not None
            for line in process.stdout:
                sys.stdout.write(line)
                sys.stdout.flush()
                if file:
                    file.write(line)
            return process.wait()
        finally:
            if process.poll() is None:
                # Each benchmark stops what it has started when it is terminated.
                process.terminate()
                process.wait(_ENDED_MAX_S)


def main() -> int:
    """Parse the arguments and run the existing benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkout", type=Path, default=Path(__file__).parents[2], help="the checkout to attack")
    parser.add_argument("--folder", type=Path, help="folder for the output of each benchmark")
    parser.add_argument("--skip", nargs="+", default=[], choices=BENCHES)
    parser.add_argument("arguments", nargs="*", help="arguments of attacks, after --")
    given = parser.parse_args()
    if given.folder:
        given.folder.mkdir(parents=True, exist_ok=True)
    # Terminate the running benchmark in order.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    outcomes: dict[str, str] = {}
    for name in BENCHES:
        if name in given.skip or importlib.util.find_spec(f"tests.benchmarks.{name}") is None:
            outcomes[name] = "not run"
            continue
        print(f"== {name}", flush=True)
        begun_s = time.monotonic()
        arguments = ["--checkout", str(given.checkout), *(given.arguments if name == "attacks" else [])]
        code = ran(name, arguments, given.folder and given.folder / f"{name}.txt")
        outcomes[name] = f"{'held' if code == 0 else f'fell (exit code {code})'}, {time.monotonic() - begun_s:.0f} s"
    print("\n" + "\n".join(f"{name}: {told}" for name, told in outcomes.items()))
    return 1 if any("fell" in told for told in outcomes.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
