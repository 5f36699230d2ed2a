"""Faults of crash rounds, each injected when a point is reached for the nth time."""

import asyncio
import json
import os
import re
import signal
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from tests.integration.extraction.test_reader_chain import a_fact, a_reading
from tests.support.fake_openai import FakeOpenAI, Reply, fails, says
from tests.support.tcp_proxy import TcpProxy

DIM: Final = 64
OUTAGE_S: Final = 0.3
_LINE = re.compile(r'^\{"id": "m\d+".*\}$', re.MULTILINE)


class Fault(StrEnum):
    """The kind of fault injected when the point is reached."""

    NONE = "none"
    KILL_BEFORE = "kill -9 before"
    KILL_AFTER = "kill -9 after"
    KILL_DURING = "kill -9 during"
    DATABASE_AWAY = "Neo4j away"
    ENDPOINT_500 = "answers 500"
    ENDPOINT_SILENT = "never answers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """The plan of one child process.

    Attributes:
        by_model: scenes are read by the model once they are complete; otherwise at once by rules.
        together: worker and replay run beside the caller, as in a service; otherwise one after the other.
        point: a statement, a step, or `model` or `embedder` for a request to the endpoint.
        nth: the fault is injected when the point is reached for this time, from 1.
        during_s: delay after it, for `KILL_DURING`.
    """

    tenant: str
    spool: str
    by_model: bool
    together: bool
    fault: Fault
    point: str
    nth: int
    during_s: float


class Endpoint(FakeOpenAI):
    """A model endpoint that extracts the last word of each line; fails as the round says.

    Args:
        reached: called with `model` or `embedder` for each request; returns True if this request is to fail.
    """

    def __init__(self, reached: Callable[[str], bool], fault: Fault = Fault.NONE) -> None:
        super().__init__(dim=DIM)
        self._reached = reached
        self._fault = fault

    def reply(self, path: str, asked: dict[str, Any]) -> Reply:
        """Return the response to one request."""
        embeds = path.endswith("/embeddings")
        if self._reached("embedder" if embeds else "model"):
            return fails(500) if self._fault is Fault.ENDPOINT_500 else Reply(waits_for=threading.Event())
        if embeds:
            return super().reply(path, asked)
        lines = [json.loads(line) for line in _LINE.findall(asked["messages"][-1]["content"])]
        fresh = [line for line in lines if not line.get("context")]
        return says(a_reading(*(a_fact(_last_word(line["text"]), line["id"]) for line in fresh)))


def _last_word(text: str) -> str:
    word: str = re.findall(r"\w+", text)[-1]
    return word if word.isascii() else word[-3:]


class Trigger:
    """Counts how often each point was reached, and injects the fault.

    Attributes:
        cable: the proxy that a `DATABASE_AWAY` cuts, and the port that it forwards to.
    """

    def __init__(self, planned: Round) -> None:
        self.seen: Counter[str] = Counter()
        self.happened = False
        self.cable: tuple[TcpProxy, int] | None = None
        self.outage: asyncio.Task[None] | None = None
        self._planned = planned

    def reach(self, point: str) -> bool:
        """Count a point; return True if the endpoint is to fail."""
        planned = self._planned
        if self.happened and planned.fault is Fault.KILL_AFTER:
            _die()
        self.seen[point] += 1
        if planned.fault is Fault.NONE or point != planned.point or self.seen[point] != planned.nth:
            return False
        self.happened = True
        match planned.fault:
            case Fault.KILL_BEFORE:
                _die()
            case Fault.KILL_DURING:
                threading.Timer(planned.during_s, _die).start()
            case Fault.DATABASE_AWAY:
                self.outage = asyncio.get_running_loop().create_task(self._outage())
        return planned.fault in (Fault.ENDPOINT_500, Fault.ENDPOINT_SILENT)

    async def _outage(self) -> None:
        assert self.cable is not None
        cable, port = self.cable
        await cable.cut()
        await asyncio.sleep(OUTAGE_S)
        await cable.mend(port)


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
