"""Test staging of imported rows: duplicates, references, content hashes and cost."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_service.memory.export_import.staging import Staging
from graph_service.memory.export_import.tenant_rewrite import NO_TENANT
from schema.ids import PrefixHash, TenantId, content_hash
from tests.unit.test_number_cost import assert_about_linear

PARTS = st.lists(st.text(max_size=4), max_size=4)


@given(st.lists(st.text(max_size=4), min_size=1, max_size=4), PARTS)
def test_hash_in_two_steps_equals_the_hash_in_one(first: list[str], rest: list[str]) -> None:
    assert PrefixHash(*first).with_suffix(*rest) == content_hash(*first, *rest)


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
        shown = content_hash("read", "", *(f"fact {one}" for one in range(n)), "", name, "h")
        scene = {"id": f"s{place}", "uri": f"memory:///session/u/s/scene/{name}", "layers_n": 1, "layers_hash": shown}
        rows.append({"node": "Message", "properties": message})
        rows.append({"node": "Scene", "properties": scene})
        rows.append({"link": "PART_OF", "from": name, "to": f"s{place}"})
    episode = {"id": "e", "session_id": "s", "message_ids": message_ids, "facts": facts, "summary": None}
    return [*rows, {"node": "Episode", "properties": episode}]


def test_episode_is_parsed_once_for_all_its_scenes(a_staging: Callable[[], Staging]) -> None:
    def work_of(n: int) -> Callable[[], object]:
        staging = a_staging()
        staging.add(rows_of_one_call(n))
        return staging.map_ids

    assert_about_linear(work_of, 400)


def test_summary_hashes_with_provided_facts_are_rewritten(a_staging: Callable[[], Staging]) -> None:
    staging, rows = a_staging(), rows_of_one_call(3)
    staging.add(rows)
    staging.map_ids()
    shown = next(row["properties"]["layers_hash"] for row in rows if row.get("node") == "Scene")
    facts = ("fact 0", "fact 1", "fact 2")
    assert shown == content_hash("read", "", *facts, "", "m0", "h")
    assert staging.new_id(shown) == content_hash("read", "", *facts, "", staging.new_id("m0"), "h")


def test_duplicate_rows_are_reported_before_ids_are_mapped(a_staging: Callable[[], Staging]) -> None:
    staging, rows = a_staging(), rows_of_one_call(2)
    staging.add([*rows, rows[0], rows[-1]])
    assert list(staging.duplicate_rows()) == ["Message m0 occurs twice", "Episode e occurs twice"]
    staging.map_ids()
    (problem,) = set(staging.reference_problems(0))
    assert problem.startswith("Episode e names the Session ")
    assert problem.endswith(" in session_id, which is not in the file")
