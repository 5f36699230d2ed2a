"""Watch a service from a separate process while it is attacked: `python -m tests.benchmarks.attack_witness`.

Requests `/health` every 50 ms over a new connection, and works as an honest tenant: recalls four times a second, and
remembers one sentence after the other, each when the fact of the previous one is stored and no job is left. Prints one
JSON line when all three have succeeded once, appends samples to a file, and runs until stdin ends.

The second half of the module computes statistics of the samples.
"""

import argparse
import contextlib
import http.client
import itertools
import json
import math
import os
import random
import socket
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

HEALTH_EVERY_S: Final = 0.05
RECALL_EVERY_S: Final = 0.25
_LOOK_AGAIN_S: Final = 0.15
# A service that has just started plans its statements on their first use.
_ANSWER_MAX_S: Final = 60.0
_HEALTH_MAX_S: Final = 5.0
_REMEMBER: Final = "mutation ($input: RememberInput!) { remember(input: $input) { stored } }"
_RECALL: Final = 'query { recall(userId: "bea", query: "Which tea do I love?", limit: 5) { confidence } }'
_STAND: Final = """query ($seq: Float!) {
  jobStatus { waiting leased } changesSince(seq: $seq, first: 50) { head nodes { op } } }"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One measured request; times are seconds of the monotonic clock.

    Attributes:
        of: `health`, `recall` or `read` (from remembering a sentence until its fact is stored).
        answered_s: None if it failed or was not answered before the end of the run.
    """

    of: str
    asked_s: float
    answered_s: float | None


class _Honest:
    """A client of one tenant with a persistent connection."""

    def __init__(self, port: int, tenant: str, key: str) -> None:
        self._port = port
        self._headers = {"Content-Type": "application/json", "Mnemoscene-Tenant": tenant}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"
        self._connection: http.client.HTTPConnection | None = None

    def ask(self, query: str, **variables: Any) -> Any:
        """Return the data of an operation, or None if there was no response or one with errors."""
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=_ANSWER_MAX_S)
            body = json.dumps({"query": query, "variables": variables})
            self._connection.request("POST", "/graphql", body, self._headers)
            answer = self._connection.getresponse()
            told = json.loads(answer.read())
        except (OSError, http.client.HTTPException, ValueError):
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            return None
        return told["data"] if answer.status == 200 and not told.get("errors") else None


class _Witness:
    """Three threads, each of which collects one kind of samples."""

    def __init__(self, port: int, tenant: str, key: str, samples: Path) -> None:
        self._port, self._tenant, self._key = port, tenant, key
        self._file = samples.open("a", buffering=1)
        self._lock = threading.Lock()
        self._under_way: dict[str, Sample] = {}
        self._succeeded = {kind: threading.Event() for kind in ("health", "recall", "read")}
        self._words = random.Random()

    def run(self) -> None:
        """Run until stdin ends."""
        for kind, once, every_s in (
            ("health", self._health, HEALTH_EVERY_S),
            ("recall", self._recalling(), RECALL_EVERY_S),
            ("read", self._reading(), RECALL_EVERY_S),
        ):
            threading.Thread(target=self._repeat, args=(kind, once, every_s), daemon=True).start()
        threading.Thread(target=self._say_when_all_succeeded, daemon=True).start()
        sys.stdin.read()
        with self._lock:
            for sample in self._under_way.values():
                self._file.write(json.dumps(asdict(sample)) + "\n")
            self._file.flush()
            # Threads may be waiting for a response that never comes.
            os._exit(0)

    def _say_when_all_succeeded(self) -> None:
        for event in self._succeeded.values():
            event.wait()
        sys.stdout.write(json.dumps({"watching": True}) + "\n")
        sys.stdout.flush()

    def _repeat(self, kind: str, once: Callable[[], bool], every_s: float) -> None:
        while True:
            asked_s = time.monotonic()
            with self._lock:
                self._under_way[kind] = Sample(of=kind, asked_s=asked_s, answered_s=None)
            answered = once()
            with self._lock:
                sample = replace(self._under_way.pop(kind), answered_s=time.monotonic() if answered else None)
                self._file.write(json.dumps(asdict(sample)) + "\n")
            if answered:
                self._succeeded[kind].set()
            time.sleep(max(0.01, asked_s + every_s - time.monotonic()))

    def _health(self) -> bool:
        asking = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nConnection: close\r\n\r\n"
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self._port), _HEALTH_MAX_S) as door:
            door.sendall(asking.encode())
            return b" 200 " in door.recv(4_096)[:16]
        return False

    def _recalling(self) -> Callable[[], bool]:
        client = _Honest(self._port, self._tenant, self._key)

        def once() -> bool:
            # An empty memory is not representative.
            self._succeeded["read"].wait()
            return client.ask(_RECALL) is not None

        return once

    def _reading(self) -> Callable[[], bool]:
        client, numbers = _Honest(self._port, self._tenant, self._key), iter(range(10**9))

        def once() -> bool:
            head = self._insist(lambda: client.ask(_STAND, seq=0))["changesSince"]["head"]
            number = next(numbers)
            # The first Chinese sentence loads its dictionary, 120 MB, which must not be attributed to an attack.
            texts = [f"I love {self._word()} tea.", *(["我喜欢喝茉莉花茶。"] if number == 0 else [])]
            messages = [{"role": "USER", "text": text} for text in texts]
            told = {"userId": "bea", "sessionId": f"s{number}", "messages": messages}
            self._insist(lambda: client.ask(_REMEMBER, input=told))
            self._insist(lambda: self._done(client.ask(_STAND, seq=head)))
            return True

        return once

    @staticmethod
    def _insist(ask: Callable[[], Any]) -> Any:
        while not (told := ask()):
            time.sleep(_LOOK_AGAIN_S)
        return told

    @staticmethod
    def _done(stand: Any) -> bool:
        if stand is None or stand["jobStatus"]["waiting"] or stand["jobStatus"]["leased"]:
            return False
        return any(change["op"] == "edge+" for change in stand["changesSince"]["nodes"])

    def _word(self) -> str:
        return "".join(self._words.choice("bdfgklmnprstvz") + self._words.choice("aeiou") for _ in range(4)).title()


def samples_in(path: Path) -> list[Sample]:
    """Return the samples that a witness has written so far."""
    return [Sample(**json.loads(line)) for line in path.read_text("utf-8").splitlines() if line.endswith("}")]


def p95_wait_s(samples: Iterable[Sample], from_s: float, to_s: float, every_s: float) -> float:
    """Return the 95th percentile of the latency for a request sent at any moment of a window.

    The witness sends the next request only after a response, so one long silence is one sample; here it counts for
    every request that would have been sent every `every_s` meanwhile. Unanswered requests have waited until `to_s`.
    """
    answered = sorted((one.asked_s, one.answered_s) for one in samples if one.answered_s is not None)
    moments = [from_s + number * every_s for number in range(int((to_s - from_s) / every_s))]
    waits: list[float] = []
    position = 0
    for moment in moments:
        while position < len(answered) and answered[position][0] < moment:
            position += 1
        if position < len(answered) and answered[position][1] <= to_s:
            # Between two probes a request would take as long as the previous probe.
            asked_s, answered_s = answered[position]
            waits.append(answered_s - (asked_s if asked_s - moment <= 2 * every_s else moment))
        else:
            waits.append(max(to_s - moment, 0.0))
    # At the end of the window the next probe had no time to be answered.
    settled = waits[: -2 or None] or waits
    return sorted(settled)[math.ceil(0.95 * len(settled)) - 1] if settled else math.nan


def longest_gap_s(samples: Iterable[Sample], from_s: float, to_s: float) -> float:
    """Return the longest time of a window without a response."""
    answered = sorted(one.answered_s for one in samples if one.answered_s and from_s <= one.answered_s <= to_s)
    ends = [from_s, *answered, to_s]
    return max(later - earlier for earlier, later in itertools.pairwise(ends))


def lags_s(samples: Iterable[Sample], from_s: float, to_s: float) -> tuple[list[float], int]:
    """Return how long each sentence pending in a window took to be read, and how many were not.

    A sentence sent before the window and read in it counts in full; an unread one has waited until the end of the
    window.
    """
    waiting = [one for one in samples if one.asked_s <= to_s and (one.answered_s is None or one.answered_s >= from_s)]
    done = [one.answered_s - one.asked_s for one in waiting if one.answered_s is not None and one.answered_s <= to_s]
    late = [to_s - max(one.asked_s, from_s) for one in waiting if one.answered_s is None or one.answered_s > to_s]
    # One still pending at the end only gives a lower bound.
    return done + [wait for wait in late if not done or wait > max(done)], len(late)


def median(values: Sequence[float]) -> float | None:
    """Return the median; None for no values."""
    return statistics.median(values) if values else None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--tenant", required=True)
    parser.add_argument("--samples", type=Path, required=True)
    given = parser.parse_args()
    # On the command line the key would be visible in the process list.
    _Witness(given.port, given.tenant, sys.stdin.readline().strip(), given.samples).run()
