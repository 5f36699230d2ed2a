"""Test that a snapshot plus later patches equals a later snapshot, however they are split and coalesced.

The viewer's own tests also reduce the cases in `patch_cases.json`.
"""

import asyncio
import json
import random
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from graph_service.live.change_feed import LiveLimits, Ring, SnapshotFrameCache
from graph_service.live.patches import coalesce, patch_of, snapshot_parts
from graph_service.memory.change_log.log import edge_body, edge_view, node_body, node_view
from graph_service.memory.mindmap.snapshot import SnapshotSelection, frame_json, snapshot_of
from schema.change import Change, NumberedChange, Op
from schema.frames import Count, EdgeView, GraphSnapshot, NodeView
from schema.ids import MemoryId
from tests.support.growth import assert_about_linear
from tests.support.reducer import ViewerState, apply, show

CASES = Path(__file__).parent / "patch_cases.json"
MOMENT = datetime(2026, 3, 1, 10, tzinfo=UTC)
AT = "2026-03-01T10:00:00Z"
EPOCH = "e1"
NODES = ("n0", "n1", "n2", "n3")
EDGES = tuple(f"{a}-{b}" for a in NODES for b in NODES if a < b)


def a_node(node_id: str, version: int = 0, user: str = "u1") -> NodeView:
    names = ("Ann", "小明", "Köln", "咖啡")
    return node_view(
        {
            "id": node_id,
            "user_id": user,
            "name": f"{names[version % 4]} {version}",
            "entity_type": None if version % 2 else "place",
            "aliases": ["x"] * (version % 3),
            "first_seen": MOMENT,
            "last_seen": MOMENT,
        },
        "Entity",
    )


def an_edge(edge_id: str, version: int = 0, user: str = "u1") -> EdgeView:
    source, target = edge_id.split("-")
    properties = {
        "id": edge_id,
        "user_id": user,
        "strength": (version % 10) / 10,
        "confidence": 0.9,
        "first_seen": MOMENT,
        "last_seen": MOMENT,
        "invalid_at": MOMENT if version % 3 == 1 else None,
        "evidence": ["m"] * (version % 5),
    }
    return edge_view(properties, source, target, "RELATES_TO")


class World:
    """A model of the database: applies changes one by one and logs them."""

    def __init__(self) -> None:
        self.nodes: dict[str, NodeView] = {}
        self.edges: dict[str, EdgeView] = {}
        self.log: list[NumberedChange] = []

    def step(self, choice: int, pick: int) -> None:
        version = len(self.log)
        if choice == 0 and self.nodes:
            node_id = sorted(self.nodes)[pick % len(self.nodes)]
            for edge_id in [key for key, edge in self.edges.items() if node_id in (edge.source, edge.target)]:
                self._drop_edge(edge_id, told=pick % 2 == 0)
            del self.nodes[node_id]
            self._log(Op.NODE_DROP, node_id, {})
        elif choice == 1 and self.edges:
            self._drop_edge(sorted(self.edges)[pick % len(self.edges)], told=True)
        elif choice <= 3:
            node_id = NODES[pick % len(NODES)]
            self.nodes[node_id] = a_node(node_id, version)
            self._log(Op.NODE_PUT, node_id, node_body(self.nodes[node_id]))
        else:
            possible = [edge_id for edge_id in EDGES if all(end in self.nodes for end in edge_id.split("-"))]
            if possible:
                self._put_edge(possible[pick % len(possible)], version)

    def _put_edge(self, edge_id: str, version: int) -> None:
        before = self.edges.get(edge_id)
        self.edges[edge_id] = an_edge(edge_id, version)
        previous = before.strength if before else None
        self._log(Op.EDGE_PUT, edge_id, edge_body(self.edges[edge_id], previous_strength=previous))

    def _drop_edge(self, edge_id: str, *, told: bool) -> None:
        del self.edges[edge_id]
        if told:  # Otherwise dropping the node must also drop the edge.
            self._log(Op.EDGE_DROP, edge_id, {})

    def _log(self, op: Op, element_id: str, body: dict[str, Any]) -> None:
        change = Change(op=op, element_id=MemoryId(element_id), body=body, reason="test")
        self.log.append(NumberedChange(seq=len(self.log) + 1, at=AT, user_id="u1", change=change))

    def snapshot(self) -> GraphSnapshot:
        return snapshot_of(
            epoch=EPOCH,
            seq=len(self.log),
            as_of=AT,
            total=Count(nodes=len(self.nodes), edges=len(self.edges)),
            nodes=list(self.nodes.values()),
            edges=list(self.edges.values()),
        )


def as_shown(snapshot: GraphSnapshot, bytes_max: int = 1_048_576) -> ViewerState:
    return show([json.loads(frame_json(part)) for part in snapshot_parts(snapshot, bytes_max=bytes_max)])


def without_was(edges: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {key: {name: value for name, value in edge.items() if name != "previous"} for key, edge in edges.items()}


def as_json(patch: Any) -> Any:
    return json.loads(frame_json(patch))


steps = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 11)), max_size=60)


@given(before=steps, after=steps, cuts=st.lists(st.integers(1, 8), min_size=1, max_size=60), late=st.integers(0, 5))
def test_snapshot_plus_patches_equals_a_later_snapshot(
    before: list[tuple[int, int]], after: list[tuple[int, int]], cuts: list[int], late: int
) -> None:
    """`late` lowers the sequence number of the first snapshot below its content, as a read under writes does."""
    world = World()
    for step in before:
        world.step(*step)
    first = world.snapshot().model_copy(update={"seq": max(len(world.log) - late, 0)})
    shown = as_shown(first, bytes_max=2_600)
    for step in after:
        world.step(*step)
    position = shown.seq
    for cut in [*cuts, *[len(world.log)]]:
        changes = world.log[position : position + cut]
        if changes:
            assert apply(shown, as_json(patch_of(changes, epoch=EPOCH, seq=position, user=None)))
            position = changes[-1].seq
    expected = as_shown(world.snapshot())
    assert expected.seq == shown.seq
    assert expected.nodes == shown.nodes
    assert without_was(expected.edges) == without_was(shown.visible_edges())


@given(steps)
def test_coalesced_patch_names_each_element_once_per_kind_of_operation(history: list[tuple[int, int]]) -> None:
    world = World()
    for step in history:
        world.step(*step)
    ops = coalesce(world.log)
    named = [(op, what if isinstance(what, str) else what["id"]) for op, what in ops]
    assert len(named) == len(set(named))
    order = [["edge-", "node-", "node+", "edge+"].index(op) for op, _ in named]
    assert order == sorted(order)


def numbered(seq: int, op: Op, element_id: str, body: dict[str, Any], user: str = "u1") -> NumberedChange:
    change = Change(op=op, element_id=MemoryId(element_id), body=body, reason="test")
    return NumberedChange(seq=seq, at=AT, user_id=user, change=change)


def test_earliest_strength_before_a_change_is_kept() -> None:
    changes = [
        numbered(1, Op.EDGE_PUT, "n0-n1", edge_body(an_edge("n0-n1", 5), previous_strength=0.4)),
        numbered(2, Op.EDGE_PUT, "n0-n1", edge_body(an_edge("n0-n1", 7), previous_strength=0.5)),
    ]
    [(op, body)] = coalesce(changes)
    assert op == "edge+"
    assert isinstance(body, dict)
    assert (body["strength"], body["previous"]) == (0.7, {"strength": 0.4})


def test_patch_for_one_user_contains_nothing_of_another() -> None:
    changes = [
        numbered(1, Op.NODE_PUT, "n0", node_body(a_node("n0", user="u1"))),
        numbered(2, Op.NODE_PUT, "n1", node_body(a_node("n1", user="u2")), user="u2"),
    ]
    patch = patch_of(changes, epoch=EPOCH, seq=0, user="u1")
    assert (patch.from_, patch.to, patch.changes) == (0, 2, 1)
    assert [what["id"] for _, what in patch.ops if isinstance(what, dict)] == ["n0"]


def test_patch_of_another_epoch_or_after_a_gap_is_refused() -> None:
    patch = as_json(patch_of([numbered(3, Op.NODE_DROP, "n0", {})], epoch=EPOCH, seq=2, user=None))
    assert not apply(ViewerState(epoch="other", seq=2), patch)
    assert not apply(ViewerState(epoch=EPOCH, seq=1), patch)
    assert apply(ViewerState(epoch=EPOCH, seq=2), patch)
    assert apply(ViewerState(epoch=EPOCH, seq=9), patch), "a repeated patch is no gap"


def test_parts_of_a_snapshot_stay_below_the_size_limit() -> None:
    nodes = [a_node(f"n{number}", number) for number in range(300)]
    edges = [an_edge(f"n{number}-n{number + 1}", number) for number in range(299)]
    whole = snapshot_of(epoch=EPOCH, seq=7, as_of=AT, total=Count(nodes=300, edges=299), nodes=nodes, edges=edges)
    parts = snapshot_parts(whole, bytes_max=20_000)
    assert len(parts) > 3
    assert max(len(frame_json(part)) for part in parts) <= 20_000
    assert [(number, len(parts)) for number in range(len(parts))] == [(part.part, part.parts) for part in parts]
    assert nodes == [node for part in parts for node in part.nodes]
    assert edges == [edge for part in parts for edge in part.edges]


def test_empty_snapshot_is_one_part() -> None:
    [part] = snapshot_parts(World().snapshot(), bytes_max=1_000_000)
    assert (part.part, part.parts, part.nodes) == (0, 1, [])


def test_ring_drops_the_oldest_changes_by_number_bytes_and_age() -> None:
    puts = [numbered(seq, Op.NODE_PUT, "n0", node_body(a_node("n0", seq))) for seq in range(11, 31)]
    by_number = Ring(10, LiveLimits(ring_changes=5))
    by_number.add(puts, now_s=0.0)
    assert (by_number.start, by_number.end) == (25, 30)
    by_bytes = Ring(10, LiveLimits(ring_bytes=1_000))
    by_bytes.add(puts, now_s=0.0)
    assert 25 < by_bytes.start < 30
    by_age = Ring(10, LiveLimits(ring_s=60.0))
    by_age.add(puts[:4], now_s=0.0)
    by_age.add(puts[4:5], now_s=61.0)
    assert (by_age.start, by_age.end) == (14, 15)


def test_ring_answers_only_for_sequence_numbers_it_contains() -> None:
    ring = Ring(10, LiveLimits())
    ring.add([numbered(seq, Op.NODE_DROP, "n0", {}) for seq in (11, 12, 13)], now_s=0.0)
    assert ring.since(9, bytes_max=1_000) is None
    assert ring.since(14, bytes_max=1_000) is None
    assert ring.since(13, bytes_max=1_000) == []
    assert [change.seq for change in ring.since(10, bytes_max=1_000) or []] == [11, 12, 13]
    assert [change.seq for change in ring.since(11, bytes_max=1) or []] == [12], "at least one goes out"


def test_facts_have_both_ends_and_stay_within_the_budget() -> None:
    selection = SnapshotSelection(budget=5)
    selection.add_nodes(["n0"])
    selection.add_edges([an_edge("n0-n1"), an_edge("n2-n3"), an_edge("n0-n2"), an_edge("n1-n2")])
    selection.add_nodes(["n3"])
    assert [edge.id for edge in selection.edges] == ["n0-n1", "n0-n2"]
    assert list(selection.nodes) == ["n0", "n1", "n2"]


def dropping(count: int) -> Callable[[], None]:
    """Return the work of as many drops of nodes as there are edges."""
    edges = [an_edge(f"n{number}-n{number + 1}", number) for number in range(count - 1)]
    puts = [numbered(n + 1, Op.EDGE_PUT, edge.id, edge.model_dump()) for n, edge in enumerate(edges)]
    drops = [numbered(len(puts) + n + 1, Op.NODE_DROP, f"n{n}", {}) for n in range(count)]

    def work() -> None:
        assert {op for op, _ in coalesce([*puts, *drops])} == {Op.EDGE_DROP, Op.NODE_DROP}

    return work


def test_cost_of_dropping_nodes_is_linear() -> None:
    assert_about_linear(dropping, 2_000)


async def test_viewers_of_the_same_snapshot_get_the_same_bytes_until_a_deletion() -> None:
    nodes = [a_node(f"n{number}", number) for number in range(1_000)]
    count = Count(nodes=len(nodes), edges=0)
    one, other = (snapshot_of(epoch=EPOCH, seq=7, as_of=AT, total=count, nodes=nodes, edges=[]) for _ in range(2))
    shared = SnapshotFrameCache(part_bytes=50_000, bytes_max=4_000_000)
    first, *more = await asyncio.gather(*(shared.parts(one, stale=False) for _ in range(20)))
    assert all(parts is first for parts in more)
    assert list(first) == [frame_json(part) for part in snapshot_parts(one, bytes_max=50_000)]
    assert all(json.loads(part)["stale"] for part in await shared.parts(one, stale=True))
    assert await shared.parts(other, stale=False) is not first
    assert await shared.parts(one, stale=False) is first
    shared.clear()
    assert await shared.parts(one, stale=False) is not first
    small = SnapshotFrameCache(part_bytes=50_000, bytes_max=1)
    assert [bool(await small.parts(each, stale=False)) for each in (one, other)] == [True, True]
    assert len(small._cached) == 1


def patch_cases() -> list[dict[str, Any]]:
    """Return histories with the frames sent and the viewer's state afterwards."""
    cases = []
    for seed in range(40):
        chance = random.Random(seed)
        world = World()
        for _ in range(chance.randrange(4, 16)):
            world.step(chance.randrange(8), chance.randrange(12))
        frames: list[Any] = [as_json(part) for part in snapshot_parts(world.snapshot(), bytes_max=3_000)]
        position = len(world.log)
        for _ in range(chance.randrange(6, 24)):
            world.step(chance.randrange(8), chance.randrange(12))
        while position < len(world.log):
            changes = world.log[position : position + chance.randrange(1, 7)]
            frames.append(as_json(patch_of(changes, epoch=EPOCH, seq=position, user=None)))
            position = changes[-1].seq
        final = as_json(world.snapshot())
        nodes = sorted(final["nodes"], key=lambda node: str(node["id"]))
        edges = sorted(final["edges"], key=lambda edge: str(edge["id"]))
        cases.append({"frames": frames, "shown": {"seq": len(world.log), "nodes": nodes, "edges": edges}})
    return cases


def test_cases_shared_with_the_viewer_are_current() -> None:
    """After an intended change, delete the file: the next run writes it anew."""
    lines = (json.dumps(case, ensure_ascii=False, separators=(",", ":"), sort_keys=True) for case in patch_cases())
    text = "[\n" + ",\n".join(lines) + "\n]\n"
    if not CASES.exists():
        CASES.write_text(text, encoding="utf-8")
    assert text == CASES.read_text(encoding="utf-8")


def test_shared_cases_hold_for_the_python_reducer() -> None:
    for case in json.loads(CASES.read_text(encoding="utf-8")):
        parts = [frame for frame in case["frames"] if frame["t"] == "graph_snapshot"]
        shown = show(parts)
        for frame in case["frames"][len(parts) :]:
            assert apply(shown, frame)
        assert case["shown"]["seq"] == shown.seq
        assert {node["id"]: node for node in case["shown"]["nodes"]} == shown.nodes
        visible = without_was(shown.visible_edges())
        assert {edge["id"]: edge for edge in case["shown"]["edges"]} == visible
