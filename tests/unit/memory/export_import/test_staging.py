"""Test staging of imported rows: duplicates, references and cost."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from graph_service.memory.export_import.staging import NO_TENANT, Staging
from schema.ids import TenantId
from tests.unit.test_number_cost import assert_about_linear


@pytest.fixture
def a_staging(tmp_path: Path) -> Iterator[Callable[[], Staging]]:
    opened: list[Staging] = []

    def make() -> Staging:
        opened.append(Staging(tmp_path / f"{uuid4().hex}.sqlite", source=NO_TENANT, target=TenantId("t")))
        return opened[-1]

    yield make
    for staging in opened:
        staging.close()


def rows_of_one_call(n: int) -> list[dict[str, Any]]:
    """Return the rows of a call with n messages and n facts, each message in its own scene."""
    facts = json.dumps([{"statement": f"fact {place}"} for place in range(n)])
    message_ids = [f"m{place}" for place in range(n)]
    rows: list[dict[str, Any]] = []
    for place, name in enumerate(message_ids):
        uri = f"memory:///session/u/s/timeline/{name}"
        message = {"id": name, "uri": uri, "position": place, "content_hash": "h", "episode_id": "e"}
        scene = {"id": f"s{place}", "uri": f"memory:///session/u/s/scene/{name}", "layers_n": 1}
        rows.append({"node": "Message", "properties": message})
        rows.append({"node": "Scene", "properties": scene})
        rows.append({"link": "PART_OF", "from": name, "to": f"s{place}"})
    episode = {"id": "e", "session_id": "s", "message_ids": message_ids, "facts": facts, "summary": None}
    return [*rows, {"node": "Episode", "properties": episode}]


def test_rewriting_one_long_call_takes_linear_time(a_staging: Callable[[], Staging]) -> None:
    def work_of(n: int) -> Callable[[], object]:
        staging = a_staging()
        staging.add(rows_of_one_call(n))
        return staging.rewrite

    assert_about_linear(work_of, 400)


def test_duplicate_rows_are_reported_before_rows_are_rewritten(a_staging: Callable[[], Staging]) -> None:
    staging, rows = a_staging(), rows_of_one_call(2)
    staging.add([*rows, rows[0], rows[-1]])
    assert list(staging.duplicate_rows()) == ["Message m0 occurs twice", "Episode e occurs twice"]
    staging.rewrite()
    (problem,) = set(staging.reference_problems(0))
    assert problem.startswith("Episode e names the Session ")
    assert problem.endswith(" in session_id, which is not in the file")
