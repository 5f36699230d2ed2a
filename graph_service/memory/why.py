"""Chains of causes: why something is, why that is, and so on along CAUSED_BY."""

from collections.abc import Mapping, Sequence
from typing import Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from schema.errors import NotFoundError
from schema.ids import TenantId
from schema.labels import Label

STEPS_MAX: Final = 6
CAUSES_MAX: Final = 5
CHAINS_MAX: Final = 6
_BEINGS: Final = frozenset({Label.USER.value, Label.AGENT.value})


async def chains_behind(graph: Graph, tenant: TenantId, user_id: str | None, element_id: str) -> list[list[str]]:
    """Ids of nodes from an effect to its last known cause; none when nothing is known to cause it.

    Of a fact, causes of its object and of its subject; users are left out, for what causes something in a life is no
    reason for each fact of it. At most `CHAINS_MAX` chains of `STEPS_MAX` steps, `CAUSES_MAX` causes of each thing.

    Raises:
        NotFoundError: this memory has no such element.
        UnavailableError: the database does not answer.
    """
    starts = await _starts(graph, tenant, element_id)
    causes: dict[str, list[str]] = {}
    asked = starts
    for _ in range(STEPS_MAX):
        if not asked:
            break
        wanted = {"tenant": tenant, "user_id": user_id, "ids": asked, "rows_max": CAUSES_MAX}
        causes |= {one: [] for one in asked}
        for row in await graph.read(statement("read/causes_of"), wanted):
            causes[row["source"]].append(row["target"])
        asked = sorted({target for one in asked for target in causes[one]} - causes.keys())
    return chains(starts, causes)


def chains(starts: Sequence[str], causes: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Each way from a start along causes to where none is known, or all have been passed; the longest first. Pure."""
    whole: list[list[str]] = []
    waiting = [[start] for start in reversed(starts)]
    while waiting and len(whole) < CHAINS_MAX * CAUSES_MAX:
        path = waiting.pop()
        further = [cause for cause in causes.get(path[-1], ()) if cause not in path] if len(path) <= STEPS_MAX else []
        waiting.extend([*path, cause] for cause in reversed(further))
        if not further and len(path) > 1:
            whole.append(path)
    apart = [path for path in whole if not any(path != other and _ends_with(other, path) for other in whole)]
    return sorted(apart, key=len, reverse=True)[:CHAINS_MAX]


def _ends_with(whole: Sequence[str], end: Sequence[str]) -> bool:
    return len(whole) > len(end) and list(whole[-len(end) :]) == list(end)


async def _starts(graph: Graph, tenant: TenantId, element_id: str) -> list[str]:
    known = {"tenant": tenant, "id": element_id}
    facts = await graph.read(statement("read/fact_by_id"), known)
    if facts:
        row = facts[0]
        if row["predicate"] == "CAUSED_BY":
            return [row["source"]["id"]]
        ends = ((row["target"]["id"], row["target_labels"]), (row["source"]["id"], row["source_labels"]))
        return [end for end, labels in ends if not _BEINGS & set(labels)]
    if not await graph.read(statement("read/node_by_id"), known):
        raise NotFoundError(
            f"there is nothing with id {element_id!r} in this memory; take an id from a snapshot or a search"
        )
    return [element_id]
