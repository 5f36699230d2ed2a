"""Declare GraphQL types, fields and shared arguments; pages, and conversion to API types."""

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import MISSING, replace
from datetime import UTC, datetime
from functools import cache, partial, reduce
from operator import attrgetter, or_
from types import MappingProxyType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Generic,
    NewType,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import strawberry
from strawberry.annotation import StrawberryAnnotation
from strawberry.scalars import JSON
from strawberry.types import Info
from strawberry.types.arguments import StrawberryArgumentAnnotation
from strawberry.types.base import StrawberryObjectDefinition
from strawberry.types.field import StrawberryField
from strawberry.types.scalar import ScalarDefinition
from strawberry.utils.str_converters import to_camel_case

from graph_service.auth.access import ANONYMOUS, Access, quota_key
from graph_service.auth.authenticator import Authenticator
from graph_service.memory.recall.question_log import Asker, Door
from graph_service.memory.service import Memory
from schema.fact import FactKind
from schema.frames import attribute_texts
from schema.ids import TenantId
from schema.importance import importance_given
from schema.labels import Role
from schema.profile import Category

T = TypeVar("T")


def about(description: str, **default: Any) -> Any:
    """Describe a field.

    Args:
        default: `default` or `default_factory`, as of a dataclass.
    """
    return strawberry.field(description=description, **default)


def argument(description: str) -> StrawberryArgumentAnnotation:
    """Describe an argument, in `Annotated`."""
    return strawberry.argument(description=description)


@dataclass_transform(kw_only_default=True, field_specifiers=(about, strawberry.field, StrawberryField))
def output(name: str | None = None) -> Callable[[type[T]], type[T]]:
    """Declare an output type; `name` is that in the schema, if it is another one."""
    return lambda cls: strawberry.type(cls, name=name, description=_docstring(cls))


def expose(
    kind: type,
    name: str | None = None,
    fields: str = "",
    *,
    inside: str = "",
    ids: Collection[str] = (),
    texts: Mapping[str, str | None] = MappingProxyType({}),
    types: Mapping[str, Any] = MappingProxyType({}),
    resolved: Sequence[Callable[..., Any]] = (),
    is_input: bool = False,
    defaults: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Declare a dataclass of the memory as an output or input type; its docstring describes it and its attributes.

    Args:
        fields: names of the fields, in order; by default all attributes. `at=asker.at` is an attribute of another name.
        inside: paths of parts whose attributes are fields, too.
        ids: fields with the type `ID`.
        texts, types: descriptions and types that differ from those of the attributes; `""` is the type itself.
        resolved: functions with an argument `root` for the fields of their names.
        defaults: of fields of an input whose attributes have others.
    """
    resolvers = {one.__name__: field(one) for one in resolved}
    types = {**types, **dict.fromkeys(ids, strawberry.ID)}

    def declared(entry: str) -> StrawberryField:
        given, _, path = entry.partition("=")
        if given in resolvers:
            return cast(StrawberryField, resolvers[given])
        path = path or given
        paths = [path, *(f"{part}.{path}" for part in inside.split())]
        path, annotation, text = next(one for one in map(partial(_attribute, kind), paths) if one is not None)
        return StrawberryField(
            python_name=path,
            graphql_name=to_camel_case(given),
            type_annotation=StrawberryAnnotation(types.get(given) or _without_new(annotation)),
            origin=kind,
            description=texts.get(given, text),
            default=defaults.get(given, _default(kind, path)) if is_input else MISSING,
        )

    kind.__strawberry_definition__ = StrawberryObjectDefinition(  # type: ignore[attr-defined]
        name=name or kind.__name__,
        is_input=is_input,
        is_interface=False,
        origin=kind,
        description=texts.get("", _docstring(kind)),
        interfaces=[],
        extend=False,
        directives=(),
        is_type_of=None,
        resolve_type=None,
        fields=[declared(entry) for entry in fields.split() or get_type_hints(kind)],
    )


def _default(kind: Any, name: str) -> Any:
    declared = kind.__dataclass_fields__[name]
    default = declared.default if declared.default_factory is MISSING else declared.default_factory()
    return list(default) if isinstance(default, tuple) else default


def frozen(given: Any) -> Any:
    """Return an input with tuples where its class declares them instead of strawberry's lists."""
    kind: Any = type(given)
    tuples = _tuples_of(kind)
    lists = {name: tuple(map(frozen, value)) for name in tuples if isinstance(value := getattr(given, name), list)}
    return replace(given, **lists) if lists else given


@cache
def _tuples_of(kind: type) -> list[str]:
    hints = get_type_hints(kind).items()
    return [name for name, hint in hints if any(get_origin(part) is tuple for part in (hint, *get_args(hint)))]


def value_at(source: object, path: str) -> object:
    """Return an attribute, or an attribute of an attribute: the default resolver of fields."""
    return attrgetter(path)(source) if "." in path else getattr(source, path)


def _attribute(kind: type, path: str) -> tuple[str, Any, str | None] | None:
    """Return the path, type and description of an attribute or property; None if there is none."""
    *parts, name = path.split(".")
    for part in parts:
        kind = get_type_hints(kind)[part]
    if isinstance(declared := inspect.getattr_static(kind, name, None), property):
        return path, get_type_hints(declared.fget)["return"], _docstring(declared)
    hints = get_type_hints(kind)
    return (path, hints[name], attribute_texts(kind).get(name)) if name in hints else None


def _without_new(annotation: Any) -> Any:
    """Return a type without `NewType`, which strawberry would take for a scalar of its own."""
    if isinstance(annotation, NewType):
        return annotation.__supertype__
    if get_origin(annotation) in (Union, UnionType):
        return reduce(or_, map(_without_new, get_args(annotation)))
    if get_origin(annotation) is tuple:
        return list[_without_new(get_args(annotation)[0])]  # type: ignore[misc]
    return annotation


def field(resolver: Callable[..., Any]) -> Any:
    return strawberry.field(resolver, description=_docstring(resolver))


def mutation(resolver: Callable[..., Any]) -> Any:
    return strawberry.mutation(resolver, description=_docstring(resolver))


def subscription(resolver: Callable[..., Any]) -> Any:
    return strawberry.subscription(resolver, description=_docstring(resolver))


def _docstring(declared: Any) -> str:
    """Return the first paragraph of a docstring as one line."""
    return " ".join((inspect.getdoc(declared) or "").partition("\n\n")[0].split())


# Registered here because modules that import each other in any order have fields of this type.
strawberry.enum(FactKind, name="FactKind", description="The kind of knowledge in a fact.")
strawberry.enum(Role, name="Role", description="The speaker's role.")
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


class Call(Info[Any, None]):
    """The operation of a resolver."""

    @property
    def memory(self) -> Memory:
        """The memory that it asks."""
        memory: Memory = self.context["memory"]
        return memory

    @property
    def tenant(self) -> TenantId:
        return TenantId(self.context["tenant"])

    @property
    def access(self) -> Access:
        access: Access = self.context.get("access", ANONYMOUS)
        return access

    @property
    def auth(self) -> Authenticator | None:
        """The authenticator; None for a command that has opened the memory itself."""
        auth: Authenticator | None = self.context.get("auth")
        return auth

    @property
    def now(self) -> datetime:
        """The time of the operation, the same for all fields, so that facts of many nodes load in one batch."""
        now: datetime = self.context.setdefault("now", datetime.now(UTC))
        return now

    @property
    def person(self) -> str | None:
        """The name of the caller: of its key, or the subject of its token; None without a credential."""
        access, auth = self.access, self.auth
        if access.is_anonymous:
            return None
        key = auth.keyring.by_id(access.key_id) if auth is not None and access.key_id is not None else None
        return key.name if key is not None else access.who.partition(":")[2]

    @property
    def asker(self) -> Asker:
        """The caller as the asker of a question."""
        return Asker(door=self.context.get("door", Door.GRAPHQL), who=quota_key(self.access))


UserId = Annotated[str, argument("The user's id.")]
AnyUserId = Annotated[str | None, argument("The user's id; all users if omitted.")]
SessionId = Annotated[str, argument("The session's id.")]
OnlySession = Annotated[str | None, argument("Only this session.")]
FactId = Annotated[str, argument("The fact's id, or one of its URIs.")]
TagsArgument = Annotated[list[str] | None, argument("Only messages with one of these tags.")]
LimitArgument = Annotated[int, argument("Maximum number of items, 1 to 100.")]
ReasonArgument = Annotated[str, argument("The reason, as free text.")]
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


def page_of(
    rows: Sequence[_Row],
    first: int,
    after: str | None,
    *,
    cursor: Callable[[_Row], str],
    view: Callable[[_Row], Any] = lambda row: row,
) -> Connection[Any]:
    """Return a page of a list.

    Args:
        rows: up to `first` + 1 rows; the extra one only shows that there are more.
        cursor: returns the cursor of a row.
        view: converts a row to its API type.
    """
    edges: list[Edge[Any]] = [Edge(cursor=cursor(row), node=view(row)) for row in rows[:first]]
    info = PageInfo(
        has_next_page=len(rows) > first,
        has_previous_page=after is not None,
        start_cursor=edges[0].cursor if edges else None,
        end_cursor=edges[-1].cursor if edges else None,
    )
    return Connection(edges=edges, nodes=[edge.node for edge in edges], page_info=info)


ValidAtArgument = Annotated[
    datetime | None, argument("Valid time: facts that were valid then. Default: `asOf`, or now.")
]
AsOfArgument = Annotated[datetime | None, argument("Transaction time: the memory as it was then. Default: now.")]
ClosedArgument = Annotated[bool, argument("Include facts that are no longer valid.")]


@cache
def fields_of(view: Any) -> tuple[str, ...]:
    """Return the names of the fields of an API type that its instances are made with."""
    return tuple(name for name, one in view.__dataclass_fields__.items() if one.init)


def view_of(view: type[T], thing: object, **more: Any) -> T:
    """Return an API type with the values of a thing under the same names; tuples become lists.

    Args:
        more: fields that the thing has under another name, in another form, or not at all.
    """
    kind: Any = view
    for name in fields_of(kind):
        if name not in more:
            value = getattr(thing, name)
            more[name] = list(value) if isinstance(value, tuple) else value
    return view(**more)
