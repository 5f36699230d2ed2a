"""Trace spans around requests, operations, jobs and statements; no-ops until a tracer is set."""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Final, Protocol

Attribute = str | int | float | bool


class Tracer(Protocol):
    """Opens spans; `otel.py` implements it with OpenTelemetry."""

    def open(
        self, name: str, attributes: Mapping[str, Attribute], parent: str | None
    ) -> AbstractContextManager[object]:
        """Return a span for the block; an error that leaves the block marks it as failed."""


_tracer: Tracer | None = None
_NO_SPAN: Final = nullcontext()


def set_tracer(tracer: Tracer | None) -> None:
    """Set the tracer of this process; None switches tracing off."""
    global _tracer
    _tracer = tracer


def span(name: str, *, parent: str | None = None, **attributes: Attribute) -> AbstractContextManager[object]:
    """Return a span for the block; attributes must not contain texts or names from users.

    Args:
        parent: the caller's `traceparent` header.
    """
    return _NO_SPAN if _tracer is None else _tracer.open(name, attributes, parent)
