"""Test that the index for closing contradicted edges of merged entities agrees with comparing every pair."""

import copy
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from graph_service.memory.entity_resolution.merged_projection import _close_contradicted
from graph_service.memory.facts.conflict_resolution import attribute_label, closes, content_of_row
from schema.assertion import Assertion, assertion_text, parse_assertion
from schema.fact import Claim
from schema.ids import MemoryId

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def an_edge(
    number: int, claim: tuple[str, str | None, str], hour: int, told: list[str], *, over: bool
) -> dict[str, Any]:
    """Return a derived edge asserted by some messages; those in capitals assert it as an addition."""
    predicate, relation, obj = claim
    assertions = [
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
    label = attribute_label(Claim(MemoryId("ann"), predicate, relation, MemoryId(obj)), obj, changes=False)
    properties |= {"uri": f"memory://t/{number}/0", "attribute": label} if label else {"uri": f"memory://t/{number}/0"}
    properties |= {"relation": relation} if relation else {}
    properties |= {"assertions": [assertion_text(one) for one in assertions]} if assertions else {}
    properties |= {"invalid_at": NOON + timedelta(days=9)} if over else {}
    return {
        "id": properties["id"],
        "subject_id": "ann",
        "object_id": obj,
        "predicate": predicate,
        "properties": properties,
    }


def close_by_comparing_all(rows: list[dict[str, Any]]) -> None:
    """Close edges by comparing each with every newer one."""

    def contradict(newer: dict[str, Any], other: dict[str, Any]) -> bool:
        if closes(content_of_row(newer), content_of_row(other)) is None:
            return False
        newer_assertions, other_assertions = (
            [parse_assertion(text) for text in row["properties"].get("assertions") or ()] for row in (newer, other)
        )
        shared = {(one.message_id, one.valid_at) for one in newer_assertions} & {
            (one.message_id, one.valid_at) for one in other_assertions
        }
        return not shared and not any(one.adds for one in newer_assertions)

    newest_first = sorted(rows, key=lambda row: (row["properties"]["valid_at"], row["id"]), reverse=True)
    for rank, row in enumerate(newest_first):
        closers = (newer for newer in reversed(newest_first[:rank]) if contradict(newer, row))
        closer = None if "invalid_at" in row["properties"] else next(closers, None)
        if closer is not None:
            why = closes(content_of_row(closer), content_of_row(row))
            row["properties"] |= {
                "invalid_at": closer["properties"]["valid_at"],
                "closed_by": closer["id"],
                "closing_reason": why.value if why else None,
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


@given(EDGES)
def test_index_closes_the_same_edges_as_pairwise_comparison(
    edges: list[tuple[tuple[str, str | None, str], int, list[str], bool]],
) -> None:
    rows = [an_edge(number, claim, hour, told, over=over) for number, (claim, hour, told, over) in enumerate(edges)]
    expected = copy.deepcopy(rows)
    _close_contradicted(rows)
    close_by_comparing_all(expected)
    assert rows == expected
