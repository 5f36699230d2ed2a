"""Test duplicate candidates: scores of names, aliases and common neighbours; similar names of different things."""

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_service.memory.entity_resolution.duplicate_candidates import (
    ComparedEntity,
    duplicate_pairs,
    without_rejected,
)
from schema.ids import MemoryId


def an_entity(name: str, *ties: str, **more: Any) -> ComparedEntity:
    tied = frozenset(("RELATES_TO works at", other) for other in ties)
    return ComparedEntity(**{"id": MemoryId(f"id-{name}"), "user_id": "alice", "name": name, "ties": tied, **more})


def pairs(*entities: ComparedEntity, apart: tuple[tuple[str, str], ...] = ()) -> list[tuple[str, str]]:
    found = without_rejected(duplicate_pairs(entities), {frozenset(f"id-{name}" for name in pair) for pair in apart})
    return [(pair.first.name, pair.second.name) for pair in found]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Bob", "Robert"),
        ("Bob Smith", "Robert Smith"),
        ("Anna", "Anna Smith"),
        ("St", "St. Mary's"),
        ("NYC", "New York City"),
        ("小红", "王小红"),
        ("北大", "北京大学"),
        ("Bank of China", "Bank"),
        ("Salvation Army", "The Salvation Army of Leeds"),
    ],
)
def test_similar_names_are_suggested(one: str, other: str) -> None:
    assert len(pairs(an_entity(one), an_entity(other))) == 1


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
def test_accidentally_similar_names_are_not_suggested(one: str, other: str) -> None:
    assert pairs(an_entity(one), an_entity(other)) == []


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("husband Daan got a job at Philips", "Philips"),
        ("trip to Japan", "Japan"),
        ("University of Leeds", "Leeds"),
        ("Daan told me yesterday that he leaves", "Daan"),
        ("老公在飞利浦", "飞利浦"),
        ("大安去了飞利浦", "飞利浦"),
    ],
)
def test_a_sentence_is_not_suggested_as_the_name_that_it_contains(sentence: str, name: str) -> None:
    assert pairs(an_entity(sentence, "acme"), an_entity(name, "acme")) == []


def test_names_one_letter_apart_need_common_neighbours() -> None:
    assert pairs(an_entity("Sara", "acme"), an_entity("Sarah", "globex")) == []
    assert pairs(an_entity("Sara", "acme", "oslo"), an_entity("Sarah", "acme", "oslo")) == [("Sara", "Sarah")]


def test_common_neighbours_raise_the_score_but_do_not_suffice_alone() -> None:
    bare = duplicate_pairs([an_entity("Bob"), an_entity("Robert")])[0].score
    tied = duplicate_pairs([an_entity("Bob", "acme"), an_entity("Robert", "acme")])[0]
    assert tied.score > bare
    assert tied.reasons[1] == "1 ties in common"
    assert pairs(an_entity("Anna", "acme", "oslo"), an_entity("Carl", "acme", "oslo")) == []


def test_an_alias_counts_like_a_name() -> None:
    assert pairs(an_entity("Boss", aliases=("Bob",)), an_entity("Robert")) == [("Boss", "Robert")]


def test_different_types_or_users_a_direct_fact_or_a_rejection_exclude_a_pair() -> None:
    bob, robert = an_entity("Bob"), an_entity("Robert")
    assert pairs(an_entity("Bob", entity_type="person"), an_entity("Robert", entity_type="place")) == []
    assert pairs(bob, an_entity("Robert", user_id="zoe")) == []
    assert pairs(an_entity("Bob", "id-Robert"), robert) == []
    assert pairs(bob, robert, apart=(("Bob", "Robert"),)) == []
    assert pairs(an_entity("Bob", members=frozenset(("id-Bobby",))), robert, apart=(("Bobby", "Robert"),)) == []


def test_order_of_the_entities_does_not_matter() -> None:
    known = [an_entity(name) for name in ("Bob", "Robert", "Bob Smith", "Anna", "Annie", "小红", "王小红")]
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


@given(NAMED, NAMED)
def test_blocking_keys_miss_no_pair_of_similar_names(ours: list[str], theirs: list[str]) -> None:
    def suggested(mine: list[str], other: list[str]) -> list[tuple[float, tuple[str, ...]]]:
        pair = (an_entity("1", aliases=()), an_entity("2", aliases=()))
        named = [replace(one, name=n[0], aliases=tuple(n[1:])) for one, n in zip(pair, (mine, other), strict=True)]
        return [(found.score, found.reasons) for found in duplicate_pairs(named)]

    each = [found for a in ours for b in theirs for found in suggested([a], [b])]
    assert suggested(ours, theirs) == ([max(each, key=lambda found: found[0])] if each else [])
