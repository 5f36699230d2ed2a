"""Test the selection of profile facts within the limits of five categories."""

from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_service.memory.facts.categories import category_of
from graph_service.memory.profile.selection import Exclusion, ProfileFact, excluded
from schema.fact import FactKind
from schema.profile import ITEMS_MAX, Category
from schema.tuning import tuning
from tests.support.builders import NOON
from tests.support.tuning import tuned

SMALL = dict.fromkeys(Category, 2)


def small_profiles() -> AbstractContextManager[None]:
    return tuned(replace(tuning(), items_max=SMALL))


def a_fact(name: str, *, importance: int = 5, confidence: float = 0.8, day: int = 0, **more: str | None) -> ProfileFact:
    """Return a current preference."""
    seen = round((NOON + timedelta(days=day)).timestamp() * 1_000_000)
    values = {"predicate": "PREFERS", "relation": None, "object_id": name, **more}
    return ProfileFact(
        id=f"{name}-{values['relation']}",
        kind=FactKind.FACT,
        importance=importance,
        confidence=confidence,
        first_seen=seen,
        last_seen=seen,
        **values,  # type: ignore[arg-type]  # texts only
    )


facts = st.lists(
    st.builds(
        lambda name, importance, confidence, day, relation: a_fact(
            name, importance=importance, confidence=confidence, day=day, relation=relation
        ),
        st.sampled_from("abcdef"),
        st.integers(1, 10),
        st.sampled_from([0.5, 0.8]),
        st.integers(0, 5),
        st.sampled_from([None, "favorite"]),
    ),
    unique_by=lambda fact: fact.id,
)


@given(facts, st.randoms(use_true_random=False))
def test_order_does_not_matter_and_no_category_exceeds_its_limit(
    told: list[ProfileFact], chance: st.DataObject
) -> None:
    with small_profiles():
        out = excluded(told)
        chance.shuffle(told)  # type: ignore[attr-defined]  # a Random
        assert excluded(told) == out
    assert len(told) - len(out) <= SMALL[Category.PREFERENCES]
    inside = [fact for fact in told if fact.id not in out]
    assert len({fact.item for fact in inside}) == len(inside)


@given(facts)
def test_facts_outside_a_full_category_are_not_more_important(told: list[ProfileFact]) -> None:
    with small_profiles():
        out = excluded(told)
    inside = [fact.importance for fact in told if fact.id not in out]
    assert all(fact.importance <= min(inside) for fact in told if out.get(fact.id) is Exclusion.FULL)


def test_full_category_replaces_its_least_important_fact() -> None:
    held = [a_fact("a", importance=7), a_fact("b", importance=4)]
    with small_profiles():
        assert excluded([*held, a_fact("c", importance=5, day=1)]) == {"b-None": Exclusion.FULL}
        assert excluded([*held, a_fact("c", importance=4, day=1)]) == {"c-None": Exclusion.FULL}


def test_higher_confidence_overwrites_and_newer_wins_a_tie() -> None:
    liked, favorite = a_fact("tea", confidence=0.9), a_fact("tea", confidence=0.6, day=3, relation="favorite drink")
    assert excluded([liked, favorite]) == {favorite.id: Exclusion.OVERWRITTEN}
    assert excluded([liked, replace(favorite, confidence=0.9)]) == {liked.id: Exclusion.OVERWRITTEN}


@pytest.mark.parametrize(
    ("predicate", "relation", "category"),
    [
        ("PREFERS", "favorite color", Category.PREFERENCES),
        ("DISLIKES", None, Category.PREFERENCES),
        ("RELATES_TO", "works at", Category.WORK),
        ("RELATES_TO", "studies at", Category.WORK),
        ("RELATES_TO", "sister", Category.RELATIONSHIPS),
        ("RELATES_TO", "best friend", Category.RELATIONSHIPS),
        ("RELATES_TO", "姐姐", Category.RELATIONSHIPS),
        ("RELATES_TO", "married to", Category.RELATIONSHIPS),
        ("RELATES_TO", "lives in", Category.PERSONAL),
        ("RELATES_TO", "has", Category.PERSONAL),
        ("CARES_ABOUT", "plan", Category.GOALS),
        ("CARES_ABOUT", "decision", Category.GOALS),
        ("CARES_ABOUT", "worry", Category.PERSONAL),
        ("RELATES_TO", "anything else", Category.PERSONAL),
        ("CAUSED_BY", None, Category.PERSONAL),
    ],
)
def test_every_fact_has_one_category(predicate: str, relation: str | None, category: Category) -> None:
    assert category_of(predicate, relation) is category


def test_limits_are_those_of_the_requirement() -> None:
    assert [ITEMS_MAX[one] for one in Category] == [50, 100, 200, 50, 50]
