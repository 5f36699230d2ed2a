"""Test the choice of review cards: deterministic for a day, bounded, independent of the order of its input."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_service.memory.curation.review import (
    CardKind,
    ReviewCard,
    ReviewFact,
    choose_cards,
    contradictions,
    possible_cards,
)
from graph_service.memory.entity_resolution.duplicate_candidates import ComparedEntity, DuplicatePair
from schema.ids import MemoryId

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)
TODAY = NOW.date()


def a_fact(name: str = "f", **changes: object) -> ReviewFact:
    fact = ReviewFact(
        id=name,
        statement=f"The statement of {name}.",
        predicate="PREFERS",
        relation=None,
        attribute=None,
        strength=0.7,
        confidence=0.75,
        importance=6,
        valid_at=NOW - timedelta(days=400),
        first_seen=NOW - timedelta(days=400),
        last_seen=NOW - timedelta(days=400),
        evidence_n=2,
        access_n=0,
        subject_id="u",
        subject="Ana",
        object_id=f"thing of {name}",
        object="tea",
    )
    return replace(fact, **changes)  # type: ignore[arg-type]


def a_pair(one: str, other: str, score: float = 0.6) -> DuplicatePair:
    first, second = (ComparedEntity(id=MemoryId(name), user_id="u", name=name) for name in (one, other))
    return DuplicatePair(first=first, second=second, score=score, reasons=())


def kinds_of(*facts: ReviewFact) -> list[CardKind]:
    return [card.kind for card in possible_cards(facts, [], now=NOW)]


facts = st.builds(
    a_fact,
    name=st.text("abcdefgh", min_size=1, max_size=3),
    predicate=st.sampled_from(["PREFERS", "DISLIKES", "RELATES_TO", "CARES_ABOUT"]),
    relation=st.sampled_from([None, "lives in", "works at", "friend", "visited", "住在"]),
    importance=st.integers(1, 10),
    confidence=st.floats(0, 1),
    evidence_n=st.integers(1, 4),
    access_n=st.integers(0, 500),
    last_seen=st.integers(0, 4_000).map(lambda days: NOW - timedelta(days=days)),
    object=st.sampled_from(["tea", "Lisbon", "Portugal", "茶", "Acme"]),
    object_id=st.sampled_from(["t", "l", "p", "a"]),
)
memories = st.lists(facts, max_size=40, unique_by=lambda fact: fact.id)
pairs = st.lists(
    st.tuples(st.sampled_from("mno"), st.sampled_from("xyz"), st.floats(0.4, 1)),
    max_size=4,
    unique_by=lambda pair: pair[:2],
).map(lambda found: [a_pair(*one) for one in found])
days = st.dates(date(2026, 1, 1), date(2027, 1, 1))


@given(memories, pairs, days, st.integers(1, 50), st.randoms(use_true_random=False))
def test_cards_are_the_same_all_day_in_any_order_of_the_memory(memory, same, day, limit, chance) -> None:  # type: ignore[no-untyped-def]
    shuffled = chance.sample(memory, len(memory))
    one = choose_cards(possible_cards(memory, same, now=NOW), day=day, limit=limit)
    other = choose_cards(possible_cards(shuffled, same, now=NOW), day=day, limit=limit)
    assert one == other


@given(memories, pairs, days, st.integers(1, 50))
def test_cards_are_bounded_distinct_and_ask_about_each_fact_once(memory, same, day, limit) -> None:  # type: ignore[no-untyped-def]
    cards = choose_cards(possible_cards(memory, same, now=NOW), day=day, limit=limit)
    assert len(cards) == min(limit, len(possible_cards(memory, same, now=NOW)))
    assert len({card.id for card in cards}) == len(cards)
    asked = [fact.id for card in cards for fact in card.facts]
    assert len(set(asked)) == len(asked)
    assert all(0 <= card.value <= 1 for card in cards)


@given(memories, days)
def test_answered_card_does_not_reorder_the_others(memory, day) -> None:  # type: ignore[no-untyped-def]
    cards = possible_cards(memory, [], now=NOW)
    every = [card.id for card in choose_cards(cards, day=day, limit=50)]
    rest = [card.id for card in choose_cards(cards[1:], day=day, limit=50)]
    assert rest == [card_id for card_id in every if not cards or card_id != cards[0].id]


def test_cards_of_equal_value_take_turns_from_day_to_day() -> None:
    cards = possible_cards([a_fact(f"f{n}") for n in range(30)], [], now=NOW)
    chosen = {tuple(card.id for card in choose_cards(cards, day=date(2026, 11, n), limit=3)) for n in range(1, 20)}
    assert len(chosen) > 10


def test_no_kind_fills_more_than_half_of_the_stack_while_others_are_left() -> None:
    cards = [ReviewCard(id=f"s{n}", kind=CardKind.SAME, value=0.9) for n in range(20)]
    cards += [ReviewCard(id=f"o{n}", kind=CardKind.ONE_SENTENCE, value=0.1) for n in range(20)]
    kinds = [card.kind for card in choose_cards(cards, day=TODAY, limit=10)]
    assert kinds == [CardKind.SAME] * 5 + [CardKind.ONE_SENTENCE] * 5
    assert len(choose_cards(cards[:20], day=TODAY, limit=10)) == 10


@pytest.mark.parametrize(
    ("changes", "kinds"),
    [
        ({}, [CardKind.STILL_TRUE]),
        ({"last_seen": NOW - timedelta(days=10)}, []),
        ({"last_seen": NOW - timedelta(days=10), "evidence_n": 1}, [CardKind.ONE_SENTENCE]),
        ({"importance": 2}, []),
        ({"importance": 2, "access_n": 3}, [CardKind.STILL_TRUE]),
        # An event does not end, and a birthday stays.
        ({"predicate": "RELATES_TO", "relation": "visited"}, []),
        ({"predicate": "RELATES_TO", "relation": "born on", "attribute": "birthday"}, []),
        ({"predicate": "RELATES_TO", "relation": "lives in", "attribute": "residence"}, [CardKind.STILL_TRUE]),
    ],
)
def test_card_of_a_fact_depends_on_its_age_evidence_and_importance(
    changes: dict[str, object], kinds: list[CardKind]
) -> None:
    assert kinds_of(a_fact(**changes)) == kinds


def test_two_values_of_one_attribute_contradict_each_other() -> None:
    older = a_fact("a", predicate="RELATES_TO", relation="works at", object="Acme", object_id="1")
    newer = replace(older, id="b", object="Globex", object_id="2", valid_at=NOW)
    (card,) = contradictions([newer, older])
    assert card.facts == (older, newer)
    assert contradictions([older, replace(newer, object="ACME")]) == []
    assert contradictions([older, replace(newer, subject_id="somebody else")]) == []


def test_city_and_its_country_and_long_lists_do_not_contradict_each_other() -> None:
    city = a_fact("a", predicate="RELATES_TO", relation="lives in", object="Lisbon", object_id="1")
    assert contradictions([city, replace(city, id="b", object="Portugal", object_id="2")]) == []
    friends = [
        replace(city, id=f"f{n}", object=name, object_id=name) for n, name in enumerate(("Bo", "Cy", "Di", "Ed"))
    ]
    assert contradictions(friends) == []


def test_liking_and_disliking_the_same_thing_is_a_contradiction() -> None:
    liked = a_fact("a", object_id="tea")
    disliked = a_fact("b", predicate="DISLIKES", object_id="tea")
    assert [card.kind for card in contradictions([liked, disliked])] == [CardKind.CONTRADICTION]
    assert contradictions([liked, replace(disliked, object_id="milk")]) == []


@pytest.mark.parametrize(
    ("relation", "contradict"),
    [
        *((one, False) for one in ("studies", "learns", "is learning", "在学", "正在读")),
        *((one, True) for one in ("fish supplier", "lives in", "works at", "住在")),
    ],
)
def test_what_one_can_do_together_does_not_contradict(relation: str, contradict: bool) -> None:
    one = a_fact("a", predicate="RELATES_TO", relation=relation, object="Riyaad", object_id="1")
    other = replace(one, id="b", object="Boris", object_id="2")
    assert bool(contradictions([one, other])) is contradict
    uncertain = [replace(fact, attribute="?any") for fact in (one, other)]
    assert bool(contradictions(uncertain)) is (relation == "fish supplier")
