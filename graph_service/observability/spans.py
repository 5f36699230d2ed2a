"""Trace spans around requests, operations, jobs and statements; no-ops until tracing is started."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Final

Attribute = str | int | float | bool


# Opens a span for the block, given its name, attributes and the caller's `traceparent`; `otel.py` has the only one.
OpenSpan = Callable[[str, Mapping[str, Attribute], str | None], AbstractContextManager[object]]
_open_span: OpenSpan | None = None
_NO_SPAN: Final = nullcontext()


def open_spans_by(open_span: OpenSpan | None) -> None:
    """Set the function that opens spans in this process; None switches tracing off."""
    global _open_span
    _open_span = open_span


def span(name: str, *, parent: str | None = None, **attributes: Attribute) -> AbstractContextManager[object]:
    """Return a span for the block; attributes must not contain texts or names from users.

    Args:
        parent: the caller's `traceparent` header.
    """
    return _NO_SPAN if _open_span is None else _open_span(name, attributes, parent)
