"""GraphQL: shared arguments, conversion to API types, and pages, whose cursors stay valid while items come and go."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Annotated, Any, Final, Generic, NewType, TypeVar

import strawberry
from strawberry.scalars import JSON
from strawberry.types import Info
from strawberry.types.scalar import ScalarDefinition

from graph_service.api.descriptions import about, argument, output
from graph_service.auth.access import ANONYMOUS, Access, quota_key
from graph_service.auth.authenticator import Authenticator
from graph_service.memory.recall.question_log import Asker, Door
from graph_service.memory.service import Memory
from schema.fact import FactKind
from schema.importance import importance_given
from schema.profile import Category

# Registered here because modules that import each other in any order have fields of this type.
strawberry.enum(FactKind, name="FactKind", description="The kind of knowledge in a fact.")
strawberry.enum(Category, name="ProfileCategory", description="Category of a profile fact.")

# An importance in an input; answers have plain numbers.
Importance = NewType("Importance", int)


SCALARS: Final[Mapping[object, ScalarDefinition]] = {
    Importance: strawberry.scalar(
        name="Importance",
        description="1 to 10, or a word: `low`, `medium`, `high`, `critical`, 低, 中, 高, 极高.",
        parse_value=importance_given,
    )
}

FirstArgument = Annotated[int, argument("Page size, 1 to 100.")]
AfterCursor = Annotated[str | None, argument("`endCursor` of the previous page.")]

OwnerArgument = Annotated[str | None, argument("The user's id; omit it to use the agent's own memory.")]
AgentOwnerArgument = Annotated[
    str | None, argument("Without `userId`: the agent's own memory, which contains no user's conversations.")
]

WhereArgument = Annotated[
    JSON | None,
    argument(
        'Only messages whose `metadata` match, and what they prove: `{"project": "x"}`, `{"n": {"gt": 5}}` '
        "with eq, ne, gt, gte, lt, lte, in, contains; `AND`, `OR`, `NOT`."
    ),
]

T = TypeVar("T")
_Row = TypeVar("_Row")


@output()
class PageInfo:
    """Position of a page in its list."""

    has_next_page: bool = about("More items follow.")
    has_previous_page: bool = about("True unless this is the first page.")
    start_cursor: str | None = about("Cursor of the first item; null for an empty page.")
    end_cursor: str | None = about("Cursor of the last item, to pass as `after`; null for an empty page.")


@output()
class Edge(Generic[T]):
    """An item of a list with its cursor."""

    cursor: str = about("Stays valid while items are added or removed, including this one.")
    node: T = about("The item.")


@output()
class Connection(Generic[T]):
    """A page of a list."""

    edges: list[Edge[T]] = about("Items with their cursors.")
    nodes: list[T] = about("The items.")
    page_info: PageInfo = about("Position of the page.")


def page_info(cursors: Sequence[str], *, more: bool, after: str | None) -> PageInfo:
    """Return the position of a page.

    Args:
        cursors: cursors of its items, in order.
        after: the cursor in the request.
    """
    ends = (cursors[0], cursors[-1]) if cursors else (None, None)
    return PageInfo(has_next_page=more, has_previous_page=after is not None, start_cursor=ends[0], end_cursor=ends[1])


def page_parts(
    rows: Sequence[_Row],
    first: int,
    after: str | None,
    *,
    cursor: Callable[[_Row], str],
    view: Callable[[_Row], Any] = lambda row: row,
) -> dict[str, Any]:
    """Return the fields of a connection as keyword arguments: edges, nodes and page info.

    Args:
        rows: up to `first` + 1 rows; the extra one only shows that there are more.
        cursor: returns the cursor of a row.
        view: converts a row to its API type.
    """
    edges: list[Edge[Any]] = [Edge(cursor=cursor(row), node=view(row)) for row in rows[:first]]
    info = page_info([edge.cursor for edge in edges], more=len(rows) > first, after=after)
    return {"edges": edges, "nodes": [edge.node for edge in edges], "page_info": info}


ValidAtArgument = Annotated[
    datetime | None, argument("Valid time: facts that were valid then. Default: `asOf`, or now.")
]
AsOfArgument = Annotated[datetime | None, argument("Transaction time: the memory as it was then. Default: now.")]
ClosedArgument = Annotated[bool, argument("Include facts that are no longer valid.")]


def now_of(info: Info[Any, None]) -> datetime:
    """Return the time of the operation, the same for all fields, so that facts of many nodes load in one batch."""
    now: datetime = info.context.setdefault("now", datetime.now(UTC))
    return now


def person_of(info: Info[Any, None]) -> str | None:
    """Return the name of the caller: of its key, or the subject of its token; None without a credential."""
    access: Access = info.context.get("access", ANONYMOUS)
    auth: Authenticator | None = info.context.get("auth")
    if access.is_anonymous:
        return None
    key = auth.keyring.by_id(access.key_id) if auth is not None and access.key_id is not None else None
    return key.name if key is not None else access.who.partition(":")[2]


def asker_of(info: Info[Any, None]) -> Asker:
    """Return the caller as the asker of a question."""
    return Asker(door=info.context.get("door", Door.GRAPHQL), who=quota_key(info.context.get("access", ANONYMOUS)))


def memory_of(info: Info[Any, None]) -> Memory:
    """Return the memory from the operation's context."""
    memory: Memory = info.context["memory"]
    return memory


@cache
def _fields_of(view: Any) -> tuple[str, ...]:
    """Return the names of the fields that a type is made with."""
    return tuple(name for name, one in view.__dataclass_fields__.items() if one.init)


def view_of(view: type[T], thing: object, **more: Any) -> T:
    """Return an API type with the values of a thing under the same names; tuples become lists.

    Args:
        more: fields that the thing has under another name, in another form, or not at all.
    """
    kind: Any = view
    for name in _fields_of(kind):
        if name not in more:
            value = getattr(thing, name)
            more[name] = list(value) if isinstance(value, tuple) else value
    return view(**more)
