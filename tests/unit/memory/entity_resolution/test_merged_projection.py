"""What the map closes among the edges of merged entities is found by an index, as if all were compared with all."""

import copy
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from graph_service.memory.entity_resolution.merged_projection import _settle
from graph_service.memory.facts.conflict_resolution import closes
from schema.fact import Claim
from schema.ids import MemoryId
from schema.telling import Assertion, telling_of, telling_text

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def an_edge(
    number: int, claim: tuple[str, str | None, str], hour: int, told: list[str], *, over: bool
) -> dict[str, Any]:
    """A derived edge that some messages told; those in capitals told it beside others."""
    predicate, relation, obj = claim
    tellings = [
        Assertion(
            message_id=MemoryId(message.lower()),
            scene_id=MemoryId("s"),
            valid_at=NOON,
            valid_by=NOON,
            said_at=NOON,
            heard_at=NOON,
            adds=message.isupper(),
        )
        for message in told
    ]
    properties: dict[str, Any] = {"id": f"e{number:03}", "valid_at": NOON + timedelta(hours=hour), "known_at": NOON}
    properties |= {"relation": relation} if relation else {}
    properties |= {"told": [telling_text(one) for one in tellings]} if tellings else {}
    properties |= {"invalid_at": NOON + timedelta(days=9)} if over else {}
    return {
        "id": properties["id"],
        "subject_id": "ann",
        "object_id": obj,
        "predicate": predicate,
        "properties": properties,
    }


def settled_by_comparing_all(rows: list[dict[str, Any]]) -> None:
    """The plain way: each edge with every newer one."""

    def claim(row: dict[str, Any]) -> Claim:
        return Claim(row["subject_id"], row["predicate"], row["properties"].get("relation"), row["object_id"])

    def contradict(newer: dict[str, Any], other: dict[str, Any]) -> bool:
        if closes(claim(newer), claim(other)) is None:
            return False
        mine, its = ([telling_of(text) for text in row["properties"].get("told") or ()] for row in (newer, other))
        together = {(one.message_id, one.valid_at) for one in mine} & {(one.message_id, one.valid_at) for one in its}
        return not together and not any(one.adds for one in mine)

    newest_first = sorted(rows, key=lambda row: (row["properties"]["valid_at"], row["id"]), reverse=True)
    for place, row in enumerate(newest_first):
        found = (newer for newer in reversed(newest_first[:place]) if contradict(newer, row))
        closer = None if "invalid_at" in row["properties"] else next(found, None)
        if closer is not None:
            why = closes(claim(closer), claim(row))
            row["properties"] |= {
                "invalid_at": closer["properties"]["valid_at"],
                "closed_by": closer["id"],
                "closed_why": why.value if why else None,
                "closing_known_at": closer["properties"]["known_at"],
            }


CLAIMS = st.tuples(
    st.sampled_from(("RELATES_TO", "PREFERS", "DISLIKES", "CARES_ABOUT")),
    st.sampled_from(("lives in", "works at", "knows", None)),
    st.sampled_from("xyz"),
)
EDGES = st.lists(
    st.tuples(CLAIMS, st.integers(0, 6), st.lists(st.sampled_from("abcD"), max_size=2, unique=True), st.booleans()),
    max_size=12,
    unique_by=lambda edge: edge[0],
)


@settings(max_examples=400)
@given(EDGES)
def test_the_same_is_closed_by_the_same(edges: list[tuple[tuple[str, str | None, str], int, list[str], bool]]) -> None:
    rows = [an_edge(number, claim, hour, told, over=over) for number, (claim, hour, told, over) in enumerate(edges)]
    plainly = copy.deepcopy(rows)
    _settle(rows)
    settled_by_comparing_all(plainly)
    assert rows == plainly
