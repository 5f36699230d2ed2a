"""The one place that decides about facts: repetition changes nothing, bystanders never change, newer truth wins."""

from datetime import timedelta
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from graph_service.memory.plan import PlannedFact, plan_facts, plan_mentions, strength_of
from schema.entity import an_entity, the_user
from schema.fact import AcceptedFact, KnownFact, Proof
from schema.ids import MemoryId, TenantId, UserId
from tests.builders import NOON

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
    """A fact Alice stated some days after the start."""
    said = NOON + timedelta(days=day)
    return AcceptedFact(
        subject=ALICE,
        predicate=predicate,
        object=an_entity(TENANT, USER, obj),
        statement=f"Alice {predicate} {obj}.",
        relation=relation,
        strength=strength,
        confidence=0.8,
        said_at=said,
        said_last=said,
        valid_at=said,
        invalid_at=None,
        trigger_emotion=None,
        proofs=(Proof(message_id=MemoryId(message or f"{obj}-{day}")),),
        reader="rules",
        closes=closes,
    )


def living(place: str, day: int) -> AcceptedFact:
    """Where Alice lives: she lives in one place at a time."""
    return a_fact(place, day=day, predicate="RELATES_TO", relation="lives in")


def after(known: list[KnownFact], planned: list[PlannedFact]) -> list[KnownFact]:
    """What is known once the plan is written."""
    merged = {fact.id: fact for fact in known} | {item.fact.id: item.fact for item in planned}
    return [merged[name] for name in sorted(merged)]


def plan(known: list[KnownFact], *facts: AcceptedFact) -> list[PlannedFact]:
    """The plan for facts of one scene."""
    return plan_facts(known, [(fact, SCENE) for fact in facts], NOON)


stated = st.builds(
    lambda obj, day, predicate: a_fact(obj, day=day, predicate=predicate),
    st.sampled_from(["tea", "jazz", "snow"]),
    st.integers(0, 20),
    st.sampled_from(["PREFERS", "DISLIKES"]),
) | st.builds(living, st.sampled_from(_PLACES), st.integers(0, 20))


@given(st.lists(stated, max_size=8))
def test_the_same_facts_twice_give_an_empty_second_plan(facts: list[AcceptedFact]) -> None:
    known = after([], plan([], *facts))
    assert plan(known, *facts) == []


@given(st.lists(stated, max_size=8), st.integers(0, 8))
def test_facts_in_two_calls_in_order_give_what_one_call_gives(facts: list[AcceptedFact], cut: int) -> None:
    ordered = sorted(facts, key=lambda fact: (fact.valid_at, fact.closes, fact.statement))
    first = after([], plan([], *ordered[:cut]))
    assert after(first, plan(first, *ordered[cut:])) == after([], plan([], *ordered))


@given(st.lists(stated, max_size=6), st.lists(st.sampled_from(["bees", "wasps"]), max_size=4))
def test_unrelated_facts_never_retire_each_other(facts: list[AcceptedFact], others: list[str]) -> None:
    bystanders = after([], plan([], *(a_fact(name, predicate="CARES_ABOUT") for name in others)))
    changed = {item.fact.id for item in plan(bystanders, *facts)}
    assert not changed & {fact.id for fact in bystanders}


@given(st.lists(st.tuples(st.sampled_from(_PLACES), st.integers(0, 30)), max_size=8))
def test_nobody_lives_in_two_places_at_once(moves: list[tuple[str, int]]) -> None:
    known = after([], plan([], *(living(place, day) for place, day in moves)))
    assert sum(fact.invalid_at is None for fact in known) <= 1
    for fact in known:
        assert fact.invalid_at is None or fact.valid_at <= fact.invalid_at


def test_a_newer_home_closes_the_older_one_and_says_by_what() -> None:
    known = after([], plan([], living("Paris", 0), living("Oslo", 5)))
    paris, oslo = sorted(known, key=lambda fact: fact.valid_at)
    assert paris.invalid_at == oslo.valid_at
    assert paris.closed_by == oslo.id
    assert oslo.invalid_at is None


def test_an_older_home_learned_late_is_closed_on_arrival() -> None:
    oslo = after([], plan([], living("Oslo", 5)))
    known = after(oslo, plan(oslo, living("Paris", 0)))
    assert [fact.invalid_at is None for fact in sorted(known, key=lambda fact: fact.valid_at)] == [False, True]


def test_coming_back_opens_a_new_spell() -> None:
    known = after([], plan([], living("Paris", 0), living("Oslo", 5), living("Paris", 9)))
    assert sorted(fact.slot for fact in known) == [0, 0, 1]
    assert sum(fact.invalid_at is None for fact in known) == 1


def test_disliking_closes_preferring_the_same_thing_only() -> None:
    known = after([], plan([], a_fact("tea"), a_fact("jazz"), a_fact("tea", day=3, predicate="DISLIKES")))
    closed = [fact for fact in known if fact.invalid_at is not None]
    assert [fact.statement for fact in closed] == ["Alice PREFERS tea."]


def test_saying_it_is_over_closes_it() -> None:
    known = after([], plan([], a_fact("tea"), a_fact("tea", day=2, closes=True, message="over")))
    assert [fact.invalid_at for fact in known] == [NOON + timedelta(days=2)]


def test_strength_grows_with_proofs_and_never_reaches_one() -> None:
    grown = [strength_of(0.6, proofs) for proofs in range(1, 30)]
    assert grown == sorted(grown)
    assert grown[0] == 0.6
    assert grown[-1] < 1.0


def test_the_order_of_proofs_does_not_matter() -> None:
    facts = [a_fact("tea", day=day, strength=0.5 + day / 10) for day in range(3)]
    results = set()
    for order in permutations(facts):
        known: list[KnownFact] = []
        for fact in order:
            known = after(known, plan(known, fact))
        results.add(tuple(known))
    assert len({(fact.strength, fact.evidence, fact.first_seen, fact.last_seen) for [fact] in results}) == 1


def test_mentions_gather_messages_and_repeat_without_change() -> None:
    named = {ALICE.id: [(MemoryId("m1"), NOON), (MemoryId("m2"), NOON + timedelta(minutes=1))]}
    [planned] = plan_mentions({}, SCENE, "memory://t/session/alice/s/scene/x", named)
    assert planned.fact.evidence == ("m1", "m2")
    known = {planned.fact.id: planned.fact}
    assert plan_mentions(known, SCENE, "memory://t/session/alice/s/scene/x", named) == []
