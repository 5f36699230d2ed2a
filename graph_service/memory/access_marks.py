"""The properties that say how an element is used and found, not what it says. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

_MARKS: Final = frozenset({"last_accessed", "access_n", "embedding", "unembedded_in"})


def without_marks(properties: Mapping[str, Any]) -> dict[str, Any]:
    """What an element says: two that say the same are equal, however often each was part of an answer.

    Nor does it matter whether one of them has its vector yet.
    """
    return {name: value for name, value in properties.items() if name not in _MARKS}


def last_touched(said_at: datetime, last_accessed: datetime | None) -> datetime:
    """When an element was last said or used: from this recency counts when being used keeps a memory fresh."""
    return said_at if last_accessed is None else max(said_at, last_accessed)
