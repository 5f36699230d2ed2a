"""GraphQL: items, JSON values by namespace and key."""

from datetime import datetime
from typing import Annotated, Any

import strawberry
from strawberry.scalars import JSON
from strawberry.types import Info

from graph_service.api.graphql.arguments import memory_of, view_of
from graph_service.auth.access import ANONYMOUS, Access, Requirement, Role, require_access
from graph_service.memory.items.store import AnswerBytes, ItemSearch
from graph_service.memory.items.writes import ItemWrite
from schema.errors import ForbiddenError

OwnerArgument = Annotated[
    str | None, strawberry.argument(description="The user who owns the items; items of the tenant if omitted.")
]
OffsetArgument = Annotated[int, strawberry.argument(description="Number of results to skip, up to 1,000,000.")]
RefreshArgument = Annotated[
    bool,
    strawberry.argument(
        description="Let what is found expire its `ttlS` from now; without effect for credentials that only read."
    ),
]


@strawberry.type(name="Item", description="A JSON value, stored by namespace and key.")
class ItemAnswer:
    """A stored item."""

    namespace: list[str] = strawberry.field(description="Its namespace.")
    key: str = strawberry.field(description="Its key, unique within the owner and namespace.")
    value: JSON = strawberry.field(description="Its value.")
    version: int = strawberry.field(description="1 for a new item, one more with each put.")
    created_at: datetime = strawberry.field(description="When it was first stored.")
    updated_at: datetime = strawberry.field(description="When it was last stored.")
    expires_at: datetime | None = strawberry.field(description="From then on it is gone; null for never.")
    score: float | None = strawberry.field(description="Relevance for `query`, 0 to 1; null without a query.")


@strawberry.input(description="An item to store or delete.")
class ItemInput:
    """An item to store or delete."""

    namespace: list[str] = strawberry.field(
        description="1 to 20 labels of 1 to 200 characters; case and every sign count."
    )
    key: str = strawberry.field(description="1 to 1,000 characters; case and every sign count.")
    value: JSON | None = strawberry.field(default=None, description="Up to 1 MB of JSON; null deletes the item.")
    user_id: str | None = strawberry.field(
        default=None, description="The user who owns it; an item of the tenant if omitted."
    )
    index: list[str] | None = strawberry.field(
        default=None,
        description="Fields of the value that `query` searches, with dots into objects and lists; default: all text.",
    )
    expires_at: datetime | None = strawberry.field(default=None, description="From then on it is gone.")
    ttl_s: float | None = strawberry.field(default=None, description="Seconds until it is gone; see `refreshTtl`.")
    if_version: int | None = strawberry.field(
        default=None, description="Store only if this version is stored, 0 for none; else the error CONFLICT."
    )

    def write(self) -> ItemWrite:
        """Return the request."""
        lists = {"namespace": tuple(self.namespace), "index": None if self.index is None else tuple(self.index)}
        return ItemWrite(**{**vars(self), **lists})


@strawberry.type
class ItemsQuery:
    """Read, list and search items."""

    @strawberry.field(description="An item; null if there is none.")
    async def item(
        self,
        info: Info[Any, None],
        namespace: Annotated[list[str], strawberry.argument(description="Its namespace.")],
        key: Annotated[str, strawberry.argument(description="Its key.")],
        user_id: OwnerArgument = None,
        refresh_ttl: RefreshArgument = False,
    ) -> ItemAnswer | None:
        """Return an item."""
        refresh = refresh_ttl and _may_write(info)
        found = await memory_of(info).items.get(info.context["tenant"], user_id, namespace, key, refresh_ttl=refresh)
        return None if found is None else view_of(ItemAnswer, found)

    @strawberry.field(
        description="Items whose namespace begins with some labels: the last updated first, or those that match a"
        " query by meaning or words, best first."
    )
    async def items(
        self,
        info: Info[Any, None],
        namespace: Annotated[
            list[str] | None, strawberry.argument(description="Labels at the start of the namespace; none for all.")
        ] = None,
        user_id: OwnerArgument = None,
        query: Annotated[str | None, strawberry.argument(description="What to search for.")] = None,
        where: Annotated[
            JSON | None,
            strawberry.argument(
                description='A filter on the value, applied before `first`: `{"kind": "a", "n": {"gt": 5}}`, with eq,'
                " ne, gt, gte, lt, lte, in, contains, and AND, OR, NOT."
            ),
        ] = None,
        first: Annotated[int, strawberry.argument(description="Maximum number of items, 1 to 1,000.")] = 10,
        offset: OffsetArgument = 0,
        refresh_ttl: RefreshArgument = False,
    ) -> list[ItemAnswer]:
        """Return a page of items."""
        search = ItemSearch(
            user_id=user_id,
            namespace=tuple(namespace or ()),
            query=query,
            where=where,
            first=first,
            offset=offset,
            refresh_ttl=refresh_ttl and _may_write(info),
        )
        budget: AnswerBytes = info.context.setdefault("item_bytes", AnswerBytes())
        return [
            view_of(ItemAnswer, one)
            for one in await memory_of(info).items.search(info.context["tenant"], search, budget)
        ]

    @strawberry.field(description="The namespaces that have items, sorted; `*` matches any label.")
    async def item_namespaces(
        self,
        info: Info[Any, None],
        user_id: OwnerArgument = None,
        prefix: Annotated[list[str] | None, strawberry.argument(description="Labels at the start.")] = None,
        suffix: Annotated[list[str] | None, strawberry.argument(description="Labels at the end.")] = None,
        max_depth: Annotated[
            int | None, strawberry.argument(description="Cut longer namespaces to so many labels, each result once.")
        ] = None,
        first: Annotated[int, strawberry.argument(description="Maximum number of namespaces, 1 to 1,000.")] = 100,
        offset: OffsetArgument = 0,
    ) -> list[list[str]]:
        """Return a page of namespaces."""
        found = await memory_of(info).items.namespaces(
            info.context["tenant"],
            user_id,
            prefix=prefix or (),
            suffix=suffix or (),
            max_depth=max_depth,
            first=first,
            offset=offset,
        )
        return [list(labels) for labels in found]


@strawberry.type
class ItemsMutation:
    """Store and delete items."""

    @strawberry.mutation(
        description="Store and delete up to 1,000 items in one transaction, in order; what is stored after each, null"
        " for a deletion. Search by meaning follows in a moment."
    )
    async def put_items(
        self,
        info: Info[Any, None],
        items: Annotated[list[ItemInput], strawberry.argument(description="The items, 1 to 1,000.")],
    ) -> list[ItemAnswer | None]:
        """Store and delete items."""
        stored = await memory_of(info).items.put(info.context["tenant"], [one.write() for one in items])
        return [None if one is None else view_of(ItemAnswer, one) for one in stored]


def _may_write(info: Info[Any, None]) -> bool:
    access: Access = info.context.get("access", ANONYMOUS)
    try:
        require_access(access, Requirement(role=Role.WRITE), "refreshTtl")
    except ForbiddenError:
        return False
    return True
