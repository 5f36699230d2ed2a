"""What a trace shows: spans around requests, uses, work and statements. Nothing at all until a tracer is set."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Final, Protocol

Attribute = str | int | float | bool


class Tracer(Protocol):
    """Makes spans; `graph_service/observability/otel.py` has the one of OpenTelemetry."""

    def open(
        self, name: str, attributes: Mapping[str, Attribute], parent: str | None
    ) -> AbstractContextManager[object]:
        """Return a span for the block; an error that leaves the block marks it as failed."""


class _Nothing:
    """A span that nobody watches."""

    __slots__ = ()

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: object) -> None:
        return None


class _Slot:
    """Holds the tracer of this process."""

    tracer: Tracer | None = None


_NOTHING: Final = _Nothing()


def set_tracer(tracer: Tracer | None) -> None:
    """From here on spans go to this tracer; None switches tracing off."""
    _Slot.tracer = tracer


def span(name: str, *, parent: str | None = None, **attributes: Attribute) -> AbstractContextManager[object]:
    """Return a span around the block. Attributes hold neither texts nor names that people chose.

    Args:
        parent: the `traceparent` that a caller sent.
    """
    if _Slot.tracer is None:
        return _NOTHING
    return _Slot.tracer.open(name, attributes, parent)
