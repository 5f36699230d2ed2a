"""Test chains of causes: each path once, cycles end, size is bounded."""

from graph_service.memory.mindmap.reader import CHAINS_MAX, STEPS_MAX, chains


def test_chain_continues_to_the_last_known_cause() -> None:
    causes = {"headache": ["stress", "wine"], "stress": ["deadline"], "deadline": [], "wine": []}
    assert chains(["headache"], causes) == [["headache", "stress", "deadline"], ["headache", "wine"]]


def test_cycle_of_causes_ends_and_nothing_causes_itself() -> None:
    assert chains(["a"], {"a": ["b", "a"], "b": ["a"]}) == [["a", "b"]]
    assert chains(["a"], {"a": []}) == []


def test_chain_contained_in_another_is_left_out() -> None:
    causes = {"a": ["b"], "b": ["c"], "c": []}
    assert chains(["a", "b"], causes) == [["a", "b", "c"]]


def test_fully_connected_causes_stay_within_bounds() -> None:
    ids = [str(number) for number in range(12)]
    found = chains(ids, {one: ids for one in ids})
    assert len(found) == CHAINS_MAX
    assert {len(path) for path in found} == {STEPS_MAX + 1}
