"""Rows of exports from before the first release get the names of this version."""

from typing import Any

import pytest

from graph_service.memory.export_import.row_format import EDGE, from_version_1
from schema.labels import Label


@pytest.mark.parametrize(
    ("row", "properties"),
    [
        (
            {EDGE: "PREFERS", "properties": {"closed_why": "over", "relation": "over"}},
            {"closing_reason": "ended", "relation": "over"},
        ),
        ({"node": Label.HELD_FACT.value, "properties": {"closed_why": "joined"}}, {"closing_reason": "merged"}),
        ({EDGE: "PREFERS", "properties": {"closed_why": "replaced"}}, {"closing_reason": "replaced"}),
        ({"node": Label.SESSION_LIFE.value, "properties": {"why": "idle"}}, {"close_reason": "idle"}),
        ({"node": Label.USAGE.value, "properties": {"scenes_owed": {"int": 2}}}, {"scenes_over_budget": {"int": 2}}),
        ({"node": Label.MESSAGE.value, "properties": {"why": "because"}}, {"why": "because"}),
    ],
)
def test_from_version_1_renames_properties_of_its_kind(row: dict[str, Any], properties: dict[str, Any]) -> None:
    assert from_version_1(row) == {**row, "properties": properties}


@pytest.mark.parametrize(
    "row", [None, [], "x", {"node": []}, {"node": [], "properties": {"why": 1}}, {"properties": 3}]
)
def test_from_version_1_leaves_malformed_rows_to_the_checks(row: Any) -> None:
    assert from_version_1(row) == row
