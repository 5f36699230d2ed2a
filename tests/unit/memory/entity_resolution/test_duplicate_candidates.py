"""Which entities may be one: a score on names, aliases and ties; accidental look-alikes stay away. Requirement C9."""

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_service.memory.entity_resolution.duplicate_candidates import Portrait, look_alikes
from schema.ids import MemoryId


def a_portrait(name: str, *ties: str, **more: Any) -> Portrait:
    tied = frozenset(("RELATES_TO works at", other) for other in ties)
    return Portrait(**{"id": MemoryId(f"id-{name}"), "user_id": "alice", "name": name, "ties": tied, **more})


def pairs(*portraits: Portrait, apart: tuple[tuple[str, str], ...] = ()) -> list[tuple[str, str]]:
    found = look_alikes(portraits, {frozenset(f"id-{name}" for name in pair) for pair in apart})
    return [(pair.first.name, pair.second.name) for pair in found]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bob", "Robert"),
        ("Bob Smith", "Robert Smith"),
        ("Anna", "Anna Smith"),
        ("NYC", "New York City"),
        ("小红", "王小红"),
        ("北大", "北京大学"),
    ],
)
def test_names_that_may_be_one_are_suggested(one: str, other: str) -> None:
    assert len(pairs(a_portrait(one), a_portrait(other))) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tigran", "Iran"),
        ("Room 101", "Room 102"),
        ("Room 101", "Room"),
        ("Mr Smith", "Mrs Smith"),
        ("Ann", "Dan"),
        ("Bob Smith", "Robert Jones"),
        ("王芳", "张芳"),
        ("苹果", "苹果汁"),
        ("tea", "coffee"),
    ],
)
def test_look_alikes_by_accident_are_not_suggested(one: str, other: str) -> None:
    assert pairs(a_portrait(one), a_portrait(other)) == []


def test_one_letter_more_needs_ties_in_common() -> None:
    assert pairs(a_portrait("Sara", "acme"), a_portrait("Sarah", "globex")) == []
    assert pairs(a_portrait("Sara", "acme", "oslo"), a_portrait("Sarah", "acme", "oslo")) == [("Sara", "Sarah")]


def test_ties_in_common_raise_the_score_and_ties_alone_suggest_nobody() -> None:
    bare = look_alikes([a_portrait("Bob"), a_portrait("Robert")], ())[0].score
    tied = look_alikes([a_portrait("Bob", "acme"), a_portrait("Robert", "acme")], ())[0]
    assert tied.score > bare
    assert tied.reasons[1] == "1 ties in common"
    assert pairs(a_portrait("Anna", "acme", "oslo"), a_portrait("Carl", "acme", "oslo")) == []


def test_an_alias_counts_like_a_name() -> None:
    assert pairs(a_portrait("Boss", aliases=("Bob",)), a_portrait("Robert")) == [("Boss", "Robert")]


def test_types_users_ties_and_a_word_of_people_keep_two_apart() -> None:
    bob, robert = a_portrait("Bob"), a_portrait("Robert")
    assert pairs(a_portrait("Bob", entity_type="person"), a_portrait("Robert", entity_type="place")) == []
    assert pairs(bob, a_portrait("Robert", user_id="zoe")) == []
    assert pairs(a_portrait("Bob", "id-Robert"), robert) == []
    assert pairs(bob, robert, apart=(("Bob", "Robert"),)) == []
    assert pairs(a_portrait("Bob", members=frozenset(("id-Bobby",))), robert, apart=(("Bobby", "Robert"),)) == []


def test_the_order_of_the_portraits_does_not_matter() -> None:
    known = [a_portrait(name) for name in ("Bob", "Robert", "Bob Smith", "Anna", "Annie", "小红", "王小红")]
    first = pairs(*known)
    assert len(first) >= 3
    for seed in range(5):
        random.Random(seed).shuffle(known)
        assert pairs(*known) == first


NAMED = st.lists(
    st.sampled_from(
        [
            "Anna",
            "anna",
            "Anna.",
            "Ann",
            "Anna Smith",
            "anna smith",
            "Bob",
            "bob!",
            "Robert",
            "Bob Smith",
            "NYC",
            "New York City",
            "Müller",
            "Mueller",
            "muller",
            "小红",
            "小红。",
            "王小红",
            "北大",
            "北京大学",
            "Room 101",
            "room 101",
            "Room 102",
            "!",
        ]
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=200)
@given(NAMED, NAMED)
def test_names_of_two_are_compared_as_if_each_were_with_each(ours: list[str], theirs: list[str]) -> None:
    def suggested(mine: list[str], other: list[str]) -> list[tuple[float, tuple[str, ...]]]:
        pair = (a_portrait("1", aliases=()), a_portrait("2", aliases=()))
        named = [replace(one, name=n[0], aliases=tuple(n[1:])) for one, n in zip(pair, (mine, other), strict=True)]
        return [(found.score, found.reasons) for found in look_alikes(named, ())]

    each = [found for a in ours for b in theirs for found in suggested([a], [b])]
    assert suggested(ours, theirs) == ([max(each, key=lambda found: found[0])] if each else [])
