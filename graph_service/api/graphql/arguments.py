"""GraphQL: pages of lists, as Relay's connections have them; a cursor stays good while others write."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, Generic, TypeVar

import strawberry
from strawberry.types import Info

from graph_service.memory.service import Memory

FirstArgument = Annotated[int, strawberry.argument(description="At most so many, 1 to 100.")]
AfterCursor = Annotated[str | None, strawberry.argument(description="`endCursor` of the page before; the next ones.")]

T = TypeVar("T")
_Row = TypeVar("_Row")


@strawberry.type(description="Where a page begins and ends.")
class PageInfo:
    """Where a page begins and ends."""

    has_next_page: bool = strawberry.field(description="There are more behind it.")
    has_previous_page: bool = strawberry.field(description="It is not the first.")
    start_cursor: str | None = strawberry.field(description="Where it begins; null when the page is empty.")
    end_cursor: str | None = strawberry.field(description="Hand it in as `after`; null when the page is empty.")


@strawberry.type(description="An element of a list, and its place there.")
class Edge(Generic[T]):
    """An element of a list."""

    cursor: str = strawberry.field(description="Stays good while others are written, and when it is gone.")
    node: T = strawberry.field(description="The element.")


@strawberry.type(description="A page of a list.")
class Connection(Generic[T]):
    """A page of a list."""

    edges: list[Edge[T]] = strawberry.field(description="Elements with their places.")
    nodes: list[T] = strawberry.field(description="The same without.")
    page_info: PageInfo = strawberry.field(description="Where the page ends.")


def page_info(cursors: Sequence[str], *, more: bool, after: str | None) -> PageInfo:
    """Return where a page with these places begins and ends.

    Args:
        after: the cursor it was asked for with.
    """
    ends = (cursors[0], cursors[-1]) if cursors else (None, None)
    return PageInfo(has_next_page=more, has_previous_page=after is not None, start_cursor=ends[0], end_cursor=ends[1])


def page_parts(
    rows: Sequence[_Row], first: int, after: str | None, *, cursor: Callable[[_Row], str], view: Callable[[_Row], Any]
) -> dict[str, Any]:
    """Return the fields of a connection from one row more than was asked for, when there is one more.

    Args:
        cursor: the place of a row.
        view: a row as the API shows it.
    """
    edges: list[Edge[Any]] = [Edge(cursor=cursor(row), node=view(row)) for row in rows[:first]]
    info = page_info([edge.cursor for edge in edges], more=len(rows) > first, after=after)
    return {"edges": edges, "nodes": [edge.node for edge in edges], "page_info": info}


# GraphQL: from where facts are looked at: what held then, and by what was known then.

ValidAtArgument = Annotated[
    datetime | None, strawberry.argument(description="What held then; at `asOf` or now if left out.")
]
AsOfArgument = Annotated[datetime | None, strawberry.argument(description="By what was known then.")]
ClosedArgument = Annotated[bool, strawberry.argument(description="Also facts that hold no more.")]


def now_of(info: Info[Any, None]) -> datetime:
    """Return one moment for the whole operation, so that facts of many nodes come together."""
    now: datetime = info.context.setdefault("now", datetime.now(UTC))
    return now


def memory_of(info: Info[Any, None]) -> Memory:
    """Return the memory that this service serves."""
    memory: Memory = info.context["memory"]
    return memory
