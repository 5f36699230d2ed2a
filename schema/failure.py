"""Describe any error so that it may be logged, stored or shown.

Messages of other libraries' exceptions may quote conversations (pydantic quotes the input, drivers quote parameters),
so only messages of our own errors are repeated; of others only the class and the place.
"""

import traceback
from dataclasses import dataclass
from pathlib import PurePath
from types import TracebackType
from typing import Final

from schema.errors import MnemosceneError

# Maximum depth of nested exception groups.
_GROUPS_MAX: Final = 20
_PACKAGES: Final = ("graph_service", "extraction", "schema", "web_viewer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """An error without other libraries' messages.

    Attributes:
        code: the stable code of our error tree; `INTERNAL` for an error that is not in it.
        kind: the name of the exception's class.
        where: `module:function` the innermost frame of our code; empty if there is none.
        message: of our own errors; None for others.
    """

    code: str
    kind: str
    where: str
    message: str | None

    def __str__(self) -> str:
        if self.message is not None:
            return f"{self.code} ({self.kind}): {self.message}"
        return f"{self.code} ({self.kind})" + (f" in {self.where}" if self.where else "")


def failure_of(error: BaseException) -> Failure:
    """Describe an error; for a group its first error."""
    error = first_of(error)
    ours = error if isinstance(error, MnemosceneError) else None
    return Failure(
        code=(ours or MnemosceneError).code,
        kind=type(error).__name__,
        where=where_of(error.__traceback__),
        message=ours.message if ours else None,
    )


def first_of(error: BaseException) -> BaseException:
    """Return the first error of a possibly nested group; any other error itself."""
    for _ in range(_GROUPS_MAX):
        if not isinstance(error, BaseExceptionGroup):
            break
        error = error.exceptions[0]
    return error


def where_of(trace: TracebackType | None) -> str:
    """Return `module:function` of the innermost frame in our code; empty if there is none."""
    for frame, _ in reversed(list(traceback.walk_tb(trace))):
        parts = PurePath(frame.f_code.co_filename).with_suffix("").parts
        starts = [place for place, part in enumerate(parts) if part in _PACKAGES]
        if starts and "site-packages" not in parts[starts[-1] :]:
            return f"{'.'.join(parts[starts[-1] :])}:{frame.f_code.co_name}"
    return ""
