"""GraphQL: items, JSON values by namespace and key."""

from typing import Annotated

from strawberry.scalars import JSON

from graph_service.api.graphql.fields import Call, argument, expose, field, frozen, mutation
from graph_service.auth.access import is_allowed
from graph_service.auth.rules import WRITE
from graph_service.memory.items.store import AnswerBytes, ItemSearch
from graph_service.memory.items.writes import Item, ItemWrite

OwnerArgument = Annotated[str | None, argument("The user who owns the items; items of the tenant if omitted.")]
OffsetArgument = Annotated[int, argument("Number of results to skip, up to 1,000,000.")]
RefreshArgument = Annotated[
    bool, argument("Let what is found expire its `ttlS` from now; without effect for credentials that only read.")
]


expose(Item, types={"value": JSON})


expose(
    ItemWrite,
    "ItemInput",
    texts={"": "An item to store or delete."},
    types={"value": JSON | None},
    is_input=True,
    defaults={"value": None},
)


@field
async def item(
    info: Call,
    namespace: Annotated[list[str], argument("Its namespace.")],
    key: Annotated[str, argument("Its key.")],
    user_id: OwnerArgument = None,
    refresh_ttl: RefreshArgument = False,
) -> Item | None:
    """An item; null if there is none."""
    refresh = refresh_ttl and is_allowed(info.access, WRITE)
    return await info.memory.items.get(info.tenant, user_id, namespace, key, refresh_ttl=refresh)


@field
async def items(
    info: Call,
    namespace: Annotated[list[str] | None, argument("Labels at the start of the namespace; none for all.")] = None,
    user_id: OwnerArgument = None,
    query: Annotated[str | None, argument("What to search for.")] = None,
    where: Annotated[
        JSON | None,
        argument(
            'A filter on the value, applied before `first`: `{"kind": "a", "n": {"gt": 5}}`, with eq, ne, gt, '
            "gte, lt, lte, in, contains, and AND, OR, NOT."
        ),
    ] = None,
    first: Annotated[int, argument("Maximum number of items, 1 to 1,000.")] = 10,
    offset: OffsetArgument = 0,
    refresh_ttl: RefreshArgument = False,
) -> list[Item]:
    """Items whose namespace begins with some labels: the last updated first, or those that match a query by meaning
    or words, best first.
    """
    search = ItemSearch(
        user_id=user_id,
        namespace=tuple(namespace or ()),
        query=query,
        where=where,
        first=first,
        offset=offset,
        refresh_ttl=refresh_ttl and is_allowed(info.access, WRITE),
    )
    budget: AnswerBytes = info.context.setdefault("item_bytes", AnswerBytes())
    return await info.memory.items.search(info.tenant, search, budget)


@field
async def item_namespaces(
    info: Call,
    user_id: OwnerArgument = None,
    prefix: Annotated[list[str] | None, argument("Labels at the start.")] = None,
    suffix: Annotated[list[str] | None, argument("Labels at the end.")] = None,
    max_depth: Annotated[int | None, argument("Cut longer namespaces to so many labels, each result once.")] = None,
    first: Annotated[int, argument("Maximum number of namespaces, 1 to 1,000.")] = 100,
    offset: OffsetArgument = 0,
) -> list[list[str]]:
    """The namespaces that have items, sorted; `*` matches any label."""
    found = await info.memory.items.namespaces(
        info.tenant, user_id, prefix=prefix or (), suffix=suffix or (), max_depth=max_depth, first=first, offset=offset
    )
    return [list(labels) for labels in found]


@mutation
async def put_items(
    info: Call, items: Annotated[list[ItemWrite], argument("The items, 1 to 1,000.")]
) -> list[Item | None]:
    """Store and delete up to 1,000 items in one transaction, in order; what is stored after each, null for a
    deletion. Search by meaning follows in a moment.
    """
    return list(await info.memory.items.put(info.tenant, list(map(frozen, items))))
