"""Test the plan of fact changes: repetition changes nothing, unrelated facts never change, newer facts win."""

from dataclasses import replace
from datetime import timedelta
from itertools import permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph_service.memory.consolidation.plan import plan_mentions
from graph_service.memory.facts.claims import PlannedFact, strength_of
from graph_service.memory.facts.reconciliation import plan_facts
from schema.assertion import Closing, CorrectionKind
from schema.entity import an_entity, the_user
from schema.fact import PLAIN_FACT, AcceptedFact, Fact, Proof
from schema.ids import MemoryId, TenantId, UserId
from tests.support.builders import NOON

TENANT, USER = TenantId("t"), UserId("alice")
ALICE = the_user(TENANT, USER)
SCENE = MemoryId("scene")
_PLACES = ["Paris", "Oslo", "Rome"]


def a_fact(
    obj: str = "tea",
    *,
    day: int = 0,
    predicate: str = "PREFERS",
    relation: str | None = None,
    closes: bool = False,
    message: str | None = None,
    strength: float = 0.6,
) -> AcceptedFact:
    """Return a fact that Alice stated some days after the start."""
    said = NOON + timedelta(days=day)
    return AcceptedFact(
        subject=ALICE,
        predicate=predicate,
        object=an_entity(TENANT, USER, obj),
        statement=f"Alice {predicate} {obj}.",
        relation=relation,
        base_strength=strength,
        confidence=0.8,
        importance=5,
        detail=PLAIN_FACT,
        said_at=said,
        valid_at=said,
        invalid_at=None,
        trigger_emotion=None,
        proofs=(Proof(message_id=MemoryId(message or f"{obj}-{day}"), said_at=said),),
        reader="rules",
        closes=closes,
    )


def living(place: str, day: int) -> AcceptedFact:
    """Return where Alice lives: a single-valued relation."""
    return a_fact(place, day=day, predicate="RELATES_TO", relation="lives in")


def after(known: list[Fact], planned: list[PlannedFact]) -> list[Fact]:
    """Return the known facts after the plan is applied."""
    merged = {fact.id: fact for fact in known} | {item.fact.id: item.fact for item in planned}
    return [merged[name] for name in sorted(merged)]


def plan(known: list[Fact], *facts: AcceptedFact) -> list[PlannedFact]:
    """Return the plan for facts of one scene."""
    return plan_facts(known, [(fact, SCENE) for fact in facts])


def favourite(obj: str, day: int, relation: str = "favorite color") -> AcceptedFact:
    """Return what Alice likes best of a category: single-valued, and closed by disliking it."""
    return a_fact(obj, day=day, relation=relation, message=f"{relation}-{obj}-{day}")


def as_sure(fact: AcceptedFact, confidence: float) -> AcceptedFact:
    """Return a fact of a reader that is that sure, in words of its own."""
    return replace(fact, confidence=confidence, statement=f"{fact.statement} ({confidence})")


stated = (
    st.builds(
        lambda obj, day, predicate, closes, confidence: as_sure(
            a_fact(
                obj,
                day=day,
                predicate=predicate,
                closes=closes,
                message=f"{obj}-{day}-{predicate}-{closes}-{confidence}",
            ),
            confidence,
        ),
        st.sampled_from(["tea", "jazz", "red"]),
        st.integers(0, 20),
        st.sampled_from(["PREFERS", "DISLIKES"]),
        st.sampled_from([False, False, True]),
        st.sampled_from([0.5, 0.8, 0.95]),
    )
    | st.builds(living, st.sampled_from(_PLACES), st.integers(0, 20))
    | st.builds(
        favourite,
        st.sampled_from(["red", "blue", "tea"]),
        st.integers(0, 20),
        st.sampled_from(["favorite color", "favorite drink", "最喜欢的颜色"]),
    )
)


@given(st.lists(stated, max_size=8))
def test_repeated_facts_give_an_empty_plan(facts: list[AcceptedFact]) -> None:
    known = after([], plan([], *facts))
    assert plan(known, *facts) == []


@given(st.lists(stated, max_size=8), st.randoms(use_true_random=False), st.integers(0, 8))
def test_any_order_and_batching_of_arrival_gives_the_same_facts(
    facts: list[AcceptedFact], chance: Random, cut: int
) -> None:
    together = after([], plan([], *facts))
    chance.shuffle(facts)
    first = after([], plan([], *facts[:cut]))
    assert after(first, plan(first, *facts[cut:])) == together
    one_by_one: list[Fact] = []
    for fact in facts:
        one_by_one = after(one_by_one, plan(one_by_one, fact))
    assert one_by_one == together


@given(st.lists(stated, max_size=8))
def test_one_object_is_liked_by_one_open_fact(facts: list[AcceptedFact]) -> None:
    known = after([], plan([], *facts))
    liked = [fact for fact in known if fact.invalid_at is None and fact.predicate == "PREFERS"]
    named = {fact.object_id for fact in liked if fact.relation is not None}
    assert len(liked) == len({fact.object_id for fact in liked})
    assert all(fact.relation is not None for fact in liked if fact.object_id in named)


@pytest.mark.parametrize("relation", ["favorite milk", "最喜欢的奶"])
@pytest.mark.parametrize("days", [(0, 5), (5, 0), (3, 3)])
def test_liking_and_favourite_of_one_object_are_one_fact_until_another_favourite(
    relation: str, days: tuple[int, int]
) -> None:
    known = after([], plan([], a_fact("oat milk", day=days[0])))
    known = after(known, plan(known, favourite("oat milk", days[1], relation)))
    [liked] = [fact for fact in known if fact.invalid_at is None]
    assert (liked.relation, len(liked.evidence)) == (relation, 2)
    [merged] = [fact for fact in known if fact.invalid_at is not None]
    assert (merged.closing_reason, merged.closed_by) == (Closing.MERGED, liked.id)
    assert merged.begin is not None

    known = after(known, plan(known, favourite("soy milk", 9, relation)))
    now = {fact.object_name: fact.relation for fact in known if fact.invalid_at is None}
    assert now == {"oat milk": None, "soy milk": relation}
    [former] = [fact for fact in known if fact.closing_reason is Closing.REPLACED]
    assert (former.id, len(former.evidence)) == (liked.id, 1)


def test_end_of_a_liking_ends_the_favourite_too() -> None:
    known = after([], plan([], a_fact("tea", day=0), favourite("tea", 2, "favorite drink")))
    known = after(known, plan(known, a_fact("tea", day=4, closes=True)))
    assert [fact for fact in known if fact.invalid_at is None] == []


def test_rejected_favourite_leaves_the_liking() -> None:
    known = after([], plan([], a_fact("tea", day=0), favourite("tea", 2, "favorite drink")))
    rejected = replace(favourite("tea", 4, "favorite drink"), correction=CorrectionKind.REJECTS, closes=True)
    known = after(known, plan(known, rejected))
    assert [(fact.relation, fact.evidence) for fact in known if fact.invalid_at is None] == [(None, ("tea-0",))]


bystanders = st.one_of(
    st.builds(
        lambda obj, day: a_fact(obj, day=day), st.sampled_from(["coffee", "cake", "茉莉花茶"]), st.integers(0, 20)
    ),
    st.builds(
        lambda obj, day, kin: a_fact(obj, day=day, predicate="RELATES_TO", relation=kin),
        st.sampled_from(["Ann", "Bob", "李娜"]),
        st.integers(0, 20),
        st.sampled_from(["sister", "brother", "friend", "has", "speaks", "姐姐"]),
    ),
    st.builds(
        lambda obj, day: a_fact(obj, day=day, predicate="CARES_ABOUT", relation="plan"),
        st.sampled_from(["run a marathon", "learn the cello", "去日本"]),
        st.integers(0, 20),
    ),
)


@given(st.lists(stated, max_size=6), st.lists(bystanders, max_size=8), st.randoms(use_true_random=False))
def test_unrelated_facts_never_close_each_other(
    facts: list[AcceptedFact], others: list[AcceptedFact], chance: Random
) -> None:
    alone = {fact.id for fact in after([], plan([], *others))}
    mixed = [*facts, *others]
    chance.shuffle(mixed)
    known: list[Fact] = []
    for fact in mixed:
        known = after(known, plan(known, fact))
    assert {fact.id for fact in known if fact.invalid_at is None} >= alone


@given(st.lists(st.tuples(st.sampled_from(_PLACES), st.integers(0, 30)), max_size=8))
def test_nobody_lives_in_two_places_at_once(moves: list[tuple[str, int]]) -> None:
    known = after([], plan([], *(living(place, day) for place, day in moves)))
    assert sum(fact.invalid_at is None for fact in known) <= 1
    for fact in known:
        assert fact.invalid_at is None or fact.valid_at <= fact.invalid_at


def test_newer_home_closes_the_older_one_and_is_named_as_the_reason() -> None:
    known = after([], plan([], living("Paris", 0), living("Oslo", 5)))
    paris, oslo = sorted(known, key=lambda fact: fact.valid_at)
    assert paris.invalid_at == oslo.valid_at
    assert paris.closed_by == oslo.id
    assert oslo.invalid_at is None


def test_older_home_learned_late_is_closed_on_arrival() -> None:
    oslo = after([], plan([], living("Oslo", 5)))
    known = after(oslo, plan(oslo, living("Paris", 0)))
    assert [fact.invalid_at is None for fact in sorted(known, key=lambda fact: fact.valid_at)] == [False, True]


def test_late_message_has_the_effect_of_its_time() -> None:
    known = after([], plan([], living("Paris", 0), living("Oslo", 5)))
    known = after(known, plan(known, living("Rome", 3)))
    held = {fact.object_name: (fact.valid_at, fact.invalid_at) for fact in known}
    days = [NOON + timedelta(days=day) for day in (0, 3, 5)]
    assert held == {"Paris": (days[0], days[1]), "Rome": (days[1], days[2]), "Oslo": (days[2], None)}


def test_two_homes_in_one_message_close_neither() -> None:
    both = [a_fact(place, predicate="RELATES_TO", relation="lives in", message="m") for place in _PLACES[:2]]
    known = after([], plan([], *both))
    known = after(known, plan(known, living("Oslo", 3)))
    assert [fact.invalid_at for fact in known] == [None, None]


def test_additional_value_closes_nothing_and_stays_open() -> None:
    more = a_fact("Beta", day=2, predicate="RELATES_TO", relation="works at")
    more = replace(more, proofs=tuple(replace(proof, adds=True) for proof in more.proofs))
    jobs = [a_fact("Acme", day=day, predicate="RELATES_TO", relation="works at") for day in (0, 4)]
    known = after([], plan([], *jobs, more))
    assert [fact.invalid_at for fact in known] == [None, None]
    moved = after(known, plan(known, a_fact("Gamma", day=9, predicate="RELATES_TO", relation="works at")))
    assert sorted(str(fact.object_name) for fact in moved if fact.invalid_at is None) == ["Gamma"]


def test_fact_with_an_early_start_replaces_facts_stated_before_it() -> None:
    since = replace(living("Oslo", 20), valid_at=NOON + timedelta(days=5))
    known = after([], plan([], living("Paris", 0), living("Paris", 9), since))
    held = {fact.object_name: fact.invalid_at for fact in known}
    assert held == {"Paris": NOON + timedelta(days=5), "Oslo": None}


def test_move_last_month_is_after_facts_stated_in_that_month() -> None:
    last_month = replace(living("Oslo", 40), valid_at=NOON, valid_by=NOON + timedelta(days=31))
    known = after([], plan([], living("Paris", 20), last_month))
    held = {fact.object_name: (fact.valid_at, fact.invalid_at) for fact in known}
    assert held["Oslo"] == (NOON, None)
    assert held["Paris"] == (NOON + timedelta(days=20), NOON + timedelta(days=31))


def test_fact_ended_before_it_was_stated_is_closed_and_reopens_when_stated_again() -> None:
    known = after([], plan([], a_fact("tea", day=2, closes=True, message="over")))
    assert [fact.closing_reason for fact in known] == [Closing.ENDED]
    known = after(known, plan(known, a_fact("tea", day=4)))
    assert [fact.invalid_at is None for fact in sorted(known, key=lambda fact: fact.slot)] == [False, True]


def test_nearly_equal_statements_add_to_one_fact() -> None:
    goals = ["open a small bakery near the old harbour in Lisbon with her cousin" + end for end in ("", "s")]
    facts = [a_fact(goal, day=day, predicate="CARES_ABOUT", relation="plan") for day, goal in enumerate(goals)]
    known = after([], plan([], *facts))
    assert [len(fact.evidence) for fact in known] == [2]
    assert plan(known, *facts) == []


def test_surest_statement_words_a_fact() -> None:
    known = after([], plan([], as_sure(a_fact("tea"), 0.7)))
    known = after(known, plan(known, as_sure(a_fact("tea", day=1), 0.9)))
    known = after(known, plan(known, as_sure(a_fact("tea", day=2), 0.8)))
    assert [(fact.statement, fact.confidence) for fact in known] == [("Alice PREFERS tea. (0.9)", 0.9)]


def test_reason_of_a_closed_fact_is_readable() -> None:
    known = after([], plan([], a_fact("tea"), a_fact("tea", day=3, predicate="DISLIKES"), living("Paris", 0)))
    known = after(known, plan(known, living("Oslo", 5)))
    assert {fact.closing_reason for fact in known} == {None, Closing.REVERSED, Closing.REPLACED}


def test_returning_home_opens_a_new_validity_period() -> None:
    known = after([], plan([], living("Paris", 0), living("Oslo", 5), living("Paris", 9)))
    assert sorted(fact.slot for fact in known) == [0, 0, 1]
    assert sum(fact.invalid_at is None for fact in known) == 1


def test_disliking_closes_preferring_the_same_thing_only() -> None:
    known = after([], plan([], a_fact("tea"), a_fact("jazz"), a_fact("tea", day=3, predicate="DISLIKES")))
    closed = [fact for fact in known if fact.invalid_at is not None]
    assert [fact.statement for fact in closed] == ["Alice PREFERS tea."]


def test_statement_that_a_fact_is_over_closes_it() -> None:
    known = after([], plan([], a_fact("tea"), a_fact("tea", day=2, closes=True, message="over")))
    assert [fact.invalid_at for fact in known] == [NOON + timedelta(days=2)]


def test_strength_grows_with_evidence_and_stays_below_one() -> None:
    grown = [strength_of(0.6, proofs) for proofs in range(1, 30)]
    assert grown == sorted(grown)
    assert grown[0] == 0.6
    assert grown[-1] < 1.0


def test_order_of_evidence_does_not_matter() -> None:
    facts = [a_fact("tea", day=day, strength=0.5 + day / 10) for day in range(3)]
    results = set()
    for order in permutations(facts):
        known: list[Fact] = []
        for fact in order:
            known = after(known, plan(known, fact))
        results.add(tuple(known))
    assert len({(fact.strength, fact.evidence, fact.first_seen, fact.last_seen) for [fact] in results}) == 1


def test_mentions_collect_messages_and_are_idempotent() -> None:
    named = {ALICE.id: [(MemoryId("m1"), NOON), (MemoryId("m2"), NOON + timedelta(minutes=1))]}
    [planned] = plan_mentions({}, SCENE, "memory://t/session/alice/s/scene/x", named)
    assert planned.fact.evidence == ("m1", "m2")
    known = {planned.fact.id: planned.fact}
    assert plan_mentions(known, SCENE, "memory://t/session/alice/s/scene/x", named) == []
