"""Chains of causes: every way is told once, rings end, and nothing grows without bound. Requirement E6."""

from graph_service.memory.mindmap.exploration import CHAINS_MAX, STEPS_MAX, chains


def test_a_chain_goes_on_to_the_last_known_cause() -> None:
    causes = {"headache": ["stress", "wine"], "stress": ["deadline"], "deadline": [], "wine": []}
    assert chains(["headache"], causes) == [["headache", "stress", "deadline"], ["headache", "wine"]]


def test_causes_in_a_ring_end_and_nothing_causes_itself() -> None:
    assert chains(["a"], {"a": ["b", "a"], "b": ["a"]}) == [["a", "b"]]
    assert chains(["a"], {"a": []}) == []


def test_the_end_of_another_chain_is_not_told_again() -> None:
    causes = {"a": ["b"], "b": ["c"], "c": []}
    assert chains(["a", "b"], causes) == [["a", "b", "c"]]


def test_everything_causing_everything_stays_within_bounds() -> None:
    ids = [str(number) for number in range(12)]
    found = chains(ids, {one: ids for one in ids})
    assert len(found) == CHAINS_MAX
    assert {len(path) for path in found} == {STEPS_MAX + 1}
