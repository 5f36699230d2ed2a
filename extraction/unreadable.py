"""Leave unread what a text function fails on: no text, stored or asked, is an error of its caller or costs its session.

Failures are logged once for each place, without the text, and counted for the metric `mnemoscene_unreadable_texts`.
`python -m tests.benchmarks.text_sweep` looks for texts that cause them.
"""

import logging
from collections import Counter
from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar

from schema.errors import (
    BrokenDataError,
    ConflictError,
    InstallError,
    MisreadError,
    OverBudgetError,
    TooSlowError,
    UnavailableError,
)
from schema.failure import failure_of

_log = logging.getLogger("mnemoscene.texts")

P = ParamSpec("P")
T = TypeVar("T")

# Failures by place: `module:function` and the class of the error.
UNREADABLE: Final[Counter[str]] = Counter()
# These say something about a service, a deadline or stored data, not about a text; callers handle them.
_NOT_ABOUT_TEXT: Final = (
    UnavailableError,
    InstallError,
    OverBudgetError,
    TooSlowError,
    MisreadError,
    ConflictError,
    BrokenDataError,
)


def read_or(otherwise: T, read: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Return the result of a text function, or `otherwise` if it fails.

    Raises:
        MnemosceneError: by the function, if it says nothing about the text, such as `UnavailableError`.
    """
    try:
        return read(*args, **kwargs)
    except Exception as error:
        note_unreadable(error)
        return otherwise


def note_unreadable(error: Exception) -> None:
    """Count and log a failure on a text; raise it again if it says nothing about the text."""
    if isinstance(error, _NOT_ABOUT_TEXT):
        raise error
    failure = failure_of(error)
    place = f"{failure.where} {failure.kind}"
    UNREADABLE[place] += 1
    if UNREADABLE[place] == 1:
        _log.error(
            "a text was left unread, because reading it failed with %s in %s; this is a bug",
            failure.kind,
            failure.where,
        )
