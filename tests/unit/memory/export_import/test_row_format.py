"""Rows of exports from before the first release get the names of this version."""

from typing import Any

import pytest

from graph_service.memory.export_import.row_format import EDGE, from_older_version
from schema.labels import Label, Link


@pytest.mark.parametrize(
    ("row", "properties"),
    [
        (
            {EDGE: "PREFERS", "properties": {"closed_why": "over", "relation": "over"}},
            {"closing_reason": "ended", "relation": "over"},
        ),
        ({"node": Label.MEMBER_FACT.value, "properties": {"closed_why": "joined"}}, {"closing_reason": "merged"}),
        ({EDGE: "PREFERS", "properties": {"closed_why": "replaced"}}, {"closing_reason": "replaced"}),
        (
            {EDGE: "PREFERS", "properties": {"told": ["x"], "near": ["y"]}},
            {"assertions": ["x"], "similarity_keys": ["y"]},
        ),
        ({"node": Label.SESSION_LIFECYCLE.value, "properties": {"why": "idle"}}, {"close_reason": "idle"}),
        ({"node": Label.USAGE.value, "properties": {"scenes_owed": {"int": 2}}}, {"scenes_over_budget": {"int": 2}}),
        ({"node": Label.USER.value, "properties": {"called": ["Ana"]}}, {"declared_names": ["Ana"]}),
        ({"node": Label.SCENE.value, "properties": {"owed": "model"}}, {"fallback_reason": "model"}),
        ({"node": Label.MESSAGE.value, "properties": {"why": "because", "told": 1}}, {"why": "because", "told": 1}),
    ],
)
def test_from_older_version_renames_properties_of_its_kind(row: dict[str, Any], properties: dict[str, Any]) -> None:
    assert from_older_version(row) == {**row, "properties": properties}


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (
            {"node": "HeldFact", "properties": {"stated": ["x"], "predicate": "PREFERS"}},
            {"node": Label.MEMBER_FACT.value, "properties": {"corrections": ["x"], "predicate": "PREFERS"}},
        ),
        ({"node": "KeptApart", "properties": {}}, {"node": Label.REJECTED_MERGE.value, "properties": {}}),
        ({"link": "STANDS_FOR", "from": "a", "to": "b"}, {"link": Link.MEMBER_OF.value, "from": "a", "to": "b"}),
    ],
)
def test_from_older_version_renames_kinds(before: dict[str, Any], now: dict[str, Any]) -> None:
    assert from_older_version(before) == now


@pytest.mark.parametrize(
    "row",
    [
        None,
        [],
        "x",
        {"node": []},
        {"node": [], "properties": {"why": 1}},
        {"properties": 3},
        {"link": [], "properties": 1},
    ],
)
def test_from_older_version_leaves_malformed_rows_to_the_checks(row: Any) -> None:
    assert from_older_version(row) == row
