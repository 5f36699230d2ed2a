"""Test resolution of new facts against known ones: ignore, merge, update, create or keep both."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.entities.place_hierarchy import is_region
from extraction.rules.additive_cues import is_additive
from graph_service.memory.facts.conflict_resolution import (
    SIMILAR_MAX,
    FactAction,
    closes,
    content_of,
    most_similar,
    resolve,
)
from graph_service.memory.facts.reconciliation import plan_facts
from schema.assertion import Assertion, Closing, assertion_text, joined, parse_assertion
from schema.errors import InputError
from schema.fact import AcceptedFact, Claim, Fact
from schema.ids import MemoryId
from schema.relations import canonical_relation
from tests.support.builders import NOON
from tests.unit.memory.consolidation.test_plan import a_fact, after, favourite, living, plan, stated


def known_after(*facts: AcceptedFact) -> list[Fact]:
    return after([], plan([], *facts))


@pytest.mark.parametrize(
    ("fact", "verdict"),
    [
        (a_fact("tea"), FactAction.IGNORE),
        (a_fact("tea", day=3), FactAction.MERGE),
        (a_fact("tea", day=3, predicate="DISLIKES"), FactAction.UPDATE),
        (a_fact("tea", day=3, closes=True), FactAction.UPDATE),
        (living("Oslo", 3), FactAction.UPDATE),
        (living("Oslo", -3), FactAction.CREATE),
        (a_fact("coffee", day=3), FactAction.CREATE),
        (a_fact("Ann", day=3, predicate="RELATES_TO", relation="sister"), FactAction.CREATE),
    ],
)
def test_first_matching_action_is_taken(fact: AcceptedFact, verdict: FactAction) -> None:
    assert resolve(fact, known_after(a_fact("tea"), living("Paris", 0)))[0] is verdict


def test_ended_preference_closes_the_favourite_as_well() -> None:
    """A favourite colour ends together with the preference for that colour."""
    known = known_after(a_fact("tea"), favourite("red", 0))
    over = a_fact("red", closes=True)
    assert resolve(over, known)[0] is FactAction.UPDATE
    closed = [one for one in after(known, plan(known, over)) if one.relation == "favorite color"]
    assert [one.closing_reason for one in closed] == [Closing.ENDED]
    held = [one.object_name for one in after(known, plan(known, over)) if one.invalid_at is None]
    assert held == ["tea"]


def test_open_fact_is_found_among_many_closed_ones() -> None:
    towns = ["Oslo", "Bergen", "Paris", "Lyon", "Rome", "Milan", "Berlin"]
    known = known_after(*(living(town, day) for day, town in enumerate(towns)))
    vienna = living("Vienna", 30)
    assert resolve(vienna, known) == (FactAction.UPDATE, None)
    assert most_similar(vienna, known)[0].object_name == "Berlin"


@given(st.lists(stated, max_size=12), stated)
def test_new_fact_is_compared_with_at_most_five_facts_of_its_subject(
    facts: list[AcceptedFact], fact: AcceptedFact
) -> None:
    near = most_similar(fact, known_after(*facts))
    assert len(near) <= SIMILAR_MAX
    same = [one for one in known_after(*facts) if one.claim == fact.claim]
    assert not same or near[0].claim == fact.claim


def open_facts(facts: list[Fact]) -> list[Fact]:
    return [one for one in facts if one.invalid_at is None]


def content_claim(fact: Fact) -> Claim:
    """Return the claim; likings of one object are one fact, whatever it is the favourite of."""
    return fact.claim._replace(relation=None) if fact.predicate == "PREFERS" else fact.claim


@given(st.lists(stated, max_size=8), stated)
def test_only_an_update_closes_open_facts(facts: list[AcceptedFact], fact: AcceptedFact) -> None:
    known = known_after(*facts)
    # Compared by claim, because a late assertion may split a period, so that another fact is the open one.
    held = set(map(content_claim, open_facts(known)))
    now = after(known, plan(known, fact))
    if resolve(fact, known)[0] in (FactAction.IGNORE, FactAction.CREATE):
        assert held <= set(map(content_claim, open_facts(now)))


@given(stated, stated)
def test_closing_fact_has_the_same_subject_and_relation_or_object(one: AcceptedFact, other: AcceptedFact) -> None:
    why = closes(content_of(one), content_of(other))
    if why is Closing.REPLACED:
        assert one.claim[:3] == other.claim[:3]
    if why is Closing.REVERSED:
        assert one.claim.object_id == other.claim.object_id
    assert closes(content_of(one), content_of(one)) is None


def test_allergy_and_preference_coexist_in_either_order() -> None:
    for first, second in (("PREFERS", "DISLIKES"), ("DISLIKES", "PREFERS")):
        facts = [a_fact("cats", predicate=first, message="1"), a_fact("cats", day=2, predicate=second, message="2")]
        allergic = [
            replace(fact, proofs=tuple(replace(proof, adds=fact.predicate == "DISLIKES") for proof in fact.proofs))
            for fact in facts
        ]
        assert [fact.invalid_at for fact in known_after(*allergic)] == [None, None]


def test_living_in_a_town_and_in_its_country_coexist() -> None:
    assert [fact.invalid_at for fact in known_after(living("Paris", 0), living("France", 3))] == [None, None]
    assert [is_region(name) for name in ("浙江省", "France", "Spain")] == [True] * 3
    assert [is_region(name) for name in ("杭州", "Paris", "Oslo")] == [False] * 3


@pytest.mark.parametrize(
    ("clause", "predicate", "name", "beside"),
    [
        ("I also work at Beta on weekends", "RELATES_TO", "Beta", True),
        ("I work at the Zurich office", "RELATES_TO", "Zurich", True),
        ("I moved to Oslo too", "RELATES_TO", "Oslo", False),
        ("I work at Beta now", "RELATES_TO", "Beta", False),
        ("I have lived in Oslo since 2024", "RELATES_TO", "Oslo", False),
        ("I have lived in Oslo", "RELATES_TO", "Oslo", True),
        ("I've lived in Oslo since 2024 as well", "RELATES_TO", "Oslo", True),
        ("I have worked at Acme since 2015 and at Beta since 2020", "RELATES_TO", "Beta", True),
        ("我周末也在书店兼职", "RELATES_TO", "书店", True),
        ("我现在在小米工作", "RELATES_TO", "小米", False),
        ("I don't drink tea in the evening", "DISLIKES", "tea", True),
        ("I don't like tea", "DISLIKES", "tea", False),
        ("I am allergic to cats", "DISLIKES", "cats", True),
        ("我晚上不喝咖啡", "DISLIKES", "咖啡", True),
        ("我不喜欢咖啡", "DISLIKES", "咖啡", False),
    ],
)
def test_phrases_of_addition_and_of_change_are_distinguished(
    clause: str, predicate: str, name: str, *, beside: bool
) -> None:
    assert is_additive(clause, predicate=predicate, name=name) is beside


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("Works_For", "works at"),
        ("任职于", "works at"),
        ("姐姐", "姐姐"),
        (" ", None),
        (None, None),
        ("age", "has age"),
    ],
)
def test_free_relation_texts_map_to_one_label(said: str | None, label: str | None) -> None:
    assert canonical_relation(said) == label


assertions = st.builds(
    Assertion,
    message_id=st.sampled_from([MemoryId("m1"), MemoryId("m2|x")]),
    scene_id=st.just(MemoryId("s")),
    valid_at=st.datetimes(min_value=NOON.replace(tzinfo=None)).map(lambda moment: moment.replace(tzinfo=NOON.tzinfo)),
    valid_by=st.just(NOON),
    said_at=st.just(NOON),
    heard_at=st.just(NOON),
    position=st.integers(0, 9),
    ends=st.booleans(),
    adds=st.booleans(),
)


@given(st.lists(assertions))
def test_assertions_round_trip_through_text(told: list[Assertion]) -> None:
    assert joined(told) == joined(reversed(told)) == joined(joined(told))
    kept = [one for one in joined(told) if "|" not in one.message_id]
    assert [parse_assertion(assertion_text(one)) for one in kept] == kept


def test_malformed_assertion_is_refused() -> None:
    with pytest.raises(InputError):
        parse_assertion("m1|s|soon|1|1|1|0|")


def test_batch_of_many_facts_is_planned_in_time() -> None:
    facts = [a_fact(f"thing number {number}", day=number % 30) for number in range(300)]
    assert len(plan_facts([], [(fact, MemoryId("s")) for fact in facts])) == len(facts)
