"""Record metrics and traces of the use cases, for all interfaces."""

import functools
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from graph_service.memory.ingest.episode_writer import Receipt
from graph_service.memory.recall.pipeline import Answer
from graph_service.observability.metrics import MESSAGES, OPERATION_SECONDS, RECALL_CONFIDENCE, RECALLS, Operation
from graph_service.observability.spans import span
from schema.errors import MnemosceneError

P = ParamSpec("P")
T = TypeVar("T")


def measured(operation: Operation) -> Callable[[Callable[P, Awaitable[T]]], Callable[P, Coroutine[Any, Any, T]]]:
    """Return a decorator that records the duration, outcome and result of a use case, and traces it."""

    def around(work: Callable[P, Awaitable[T]]) -> Callable[P, Coroutine[Any, Any, T]]:
        @functools.wraps(work)
        async def timed(*args: P.args, **kwargs: P.kwargs) -> T:
            outcome, started_s = "failed", time.perf_counter()
            try:
                with span(operation.value):
                    answer = await work(*args, **kwargs)
                outcome = "done"
            except MnemosceneError as error:
                outcome = "refused" if error.http_status < 500 else "failed"
                raise
            finally:
                OPERATION_SECONDS.note(time.perf_counter() - started_s, operation, outcome)
            count(answer)
            return answer

        return timed

    return around


def count(answer: object) -> None:
    """Count a result in the metrics."""
    match answer:
        case Receipt():
            MESSAGES.add("spool" if answer.spooled else "neo4j", n=answer.stored)
        case Answer(degraded=True):
            RECALLS.add("degraded")
        case Answer():
            RECALLS.add("none" if answer.nothing_relevant else "relevant")
            RECALL_CONFIDENCE.note(answer.confidence or 0.0)
        case _:
            pass
