"""Rows on their way between tenants: doubles are found before anything is made of them; each call is read once. E7."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_service.memory.export_import.staging import Carrier
from graph_service.memory.export_import.tenant_rewrite import NOBODY
from schema.ids import BegunHash, TenantId, content_hash
from tests.unit.test_number_cost import assert_about_linear

PARTS = st.lists(st.text(max_size=4), max_size=4)


@given(st.lists(st.text(max_size=4), min_size=1, max_size=4), PARTS)
def test_a_fingerprint_that_is_made_in_two_steps_is_the_same(first: list[str], rest: list[str]) -> None:
    assert BegunHash(*first).with_rest(*rest) == content_hash(*first, *rest)


@pytest.fixture
def a_carrier(tmp_path: Path) -> Iterator[Callable[[], Carrier]]:
    opened: list[Carrier] = []

    def make() -> Carrier:
        opened.append(Carrier(tmp_path / f"{uuid4().hex}.sqlite", source=NOBODY, target=TenantId("t")))
        return opened[-1]

    yield make
    for carrier in opened:
        carrier.close()


def rows_of_one_call(n: int) -> list[dict[str, Any]]:
    """One call with so many messages and facts, each message in a scene of its own."""
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


def test_what_a_call_brought_is_read_once_for_all_its_scenes(a_carrier: Callable[[], Carrier]) -> None:
    def work_of(n: int) -> Callable[[], object]:
        carrier = a_carrier()
        carrier.add(rows_of_one_call(n))
        return carrier.learn

    assert_about_linear(work_of, 400)


def test_fingerprints_of_texts_are_known_by_what_a_call_brought(a_carrier: Callable[[], Carrier]) -> None:
    carrier, rows = a_carrier(), rows_of_one_call(3)
    carrier.add(rows)
    carrier.learn()
    shown = next(row["properties"]["layers_hash"] for row in rows if row.get("node") == "Scene")
    facts = ("fact 0", "fact 1", "fact 2")
    assert shown == content_hash("read", "", *facts, "", "m0", "h")
    assert carrier.new_id(shown) == content_hash("read", "", *facts, "", carrier.new_id("m0"), "h")


def test_doubles_are_told_before_ids_are_worked_out(a_carrier: Callable[[], Carrier]) -> None:
    carrier, rows = a_carrier(), rows_of_one_call(2)
    carrier.add([*rows, rows[0], rows[-1]])
    assert list(carrier.doubles()) == ["Message m0 is there twice", "Episode e is there twice"]
    carrier.learn()
    assert set(carrier.misfits(0)) == {"Episode e has a session_id that is no Session in the file"}
