"""GraphQL: from where facts are looked at: what held then, and by what was known then."""

from datetime import UTC, datetime
from typing import Annotated, Any

import strawberry
from strawberry.types import Info

ValidAtArgument = Annotated[
    datetime | None, strawberry.argument(description="What held then; at `asOf` or now if left out.")
]
AsOfArgument = Annotated[datetime | None, strawberry.argument(description="By what was known then.")]
ClosedArgument = Annotated[bool, strawberry.argument(description="Also facts that hold no more.")]


def now_of(info: Info[Any, None]) -> datetime:
    """One moment for the whole operation, so that facts of many nodes come together."""
    now: datetime = info.context.setdefault("now", datetime.now(UTC))
    return now
