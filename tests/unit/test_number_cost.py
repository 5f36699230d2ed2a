"""Test that work on twice as many names, facts or scenes takes about twice as long; see also test_text_cost.

Times are this thread's processor time, the best of several tries, so that other processes matter little.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from graph_service.memory.entity_resolution.duplicate_candidates import ComparedEntity, duplicate_pairs
from graph_service.memory.entity_resolution.merged_projection import projected_edges
from graph_service.memory.entity_resolution.resolver import ALIASES_MAX, NameMention, Owner, resolve
from graph_service.memory.forgetting.plan import (
    NameMatcher,
    RemainingText,
    entity_outcome,
    episodes_without,
    names_and_values,
    scenes_to_resegment,
)
from schema.assertion import Assertion, assertion_text
from schema.ids import MemoryId, TenantId, UserId
from tests.support.growth import assert_about_linear

NOON: Final = datetime(2026, 1, 1, 12, tzinfo=UTC)
OWNER: Final = Owner(tenant=TenantId("t"), user_id=UserId("u"), user_names=(), agent_id=None)


def spellings(n: int) -> list[str]:
    """Return this many spellings of one name."""
    return [f"Anna{'.' * (place % 90)}{'!' * (place // 90)}" for place in range(n)]


def mentions_of(names: list[str]) -> list[NameMention]:
    """Return mentions of the names, one after another."""
    return [NameMention(name=name, said_at=NOON + timedelta(seconds=place)) for place, name in enumerate(names)]


def test_resolving_many_spellings_of_one_name_is_linear() -> None:
    def work_of(n: int) -> Callable[[], object]:
        names = mentions_of(spellings(n))
        return lambda: resolve(names, [], OWNER)

    assert_about_linear(work_of, 400)


def test_entity_keeps_its_first_aliases_and_the_rest_still_resolve_to_it() -> None:
    names = spellings(300)
    resolved, touched = resolve(mentions_of(names), [], OWNER)
    assert [known.entity.name for known in touched] == ["Anna"]
    assert touched[0].aliases == tuple(sorted(names[1 : ALIASES_MAX + 1]))
    assert {entity.id for entity in resolved.values()} == {touched[0].entity.id}
    assert touched[0].last_seen == NOON + timedelta(seconds=299), "what is not kept as a name is still a mention"
    again, _ = resolve(mentions_of(names[-1:]), touched, OWNER)
    assert again[names[-1]].id == touched[0].entity.id


def test_duplicate_pairs_of_many_spellings_are_linear() -> None:
    def work_of(n: int) -> Callable[[], object]:
        names = spellings(n)
        portraits = [
            ComparedEntity(id=MemoryId("a"), user_id="u", name="Anna", aliases=tuple(names)),
            ComparedEntity(
                id=MemoryId("b"), user_id="u", name="Anna Smith", aliases=tuple(f"{name} Smith" for name in names)
            ),
        ]
        return lambda: duplicate_pairs(portraits)

    assert_about_linear(work_of, 400)


def test_outcomes_of_many_entities_are_linear_in_names_and_text() -> None:
    def work_of(n: int) -> Callable[[], object]:
        standings = [a_mentioned_entity(f"thing{place} of ours", [f"物{place}", f"no{place}"]) for place in range(n)]
        said = [{"text": f"I saw thing{place} of theirs, 物品{place} too", "said_at": NOON} for place in range(n)]

        def work() -> None:
            left = RemainingText((name for row in standings for name in names_and_values(row)), (), said)
            for row in standings:
                entity_outcome(row, left, earliest=NOON, owner=OWNER)

        return work

    assert_about_linear(work_of, 300)


@pytest.mark.parametrize(("sign", "gap"), [("茶", ""), ("a", " ")])
def test_searching_nested_prefixes_is_independent_of_their_number(sign: str, gap: str) -> None:
    def work_of(n: int) -> Callable[[], object]:
        sought = NameMatcher(
            end for long in range(n) for end in ((sign + gap) * long + "x", (sign + gap) * long + "龙")
        )
        return lambda: sought.find_in((sign + gap) * 5_000)

    assert_about_linear(work_of, 100)


def a_mentioned_entity(name: str, aliases: list[str]) -> dict[str, Any]:
    """Return an entity that one other scene mentions."""
    properties = {"name": name, "aliases": aliases, "first_seen": NOON}
    seen_at = {"first_seen": NOON, "last_seen": NOON}
    return {"properties": properties, "scenes": ["s"], "evidence": [], "is_member": False, **seen_at}


def test_resegmenting_a_long_session_is_linear() -> None:
    def work_of(n: int) -> Callable[[], object]:
        spans = [{"id": f"s{at}", "session": "one", "start_ms": at * 10, "end_ms": at * 10 + 9} for at in range(n)]
        hit = {span["id"] for span in spans}
        return lambda: scenes_to_resegment(spans, hit, pause_ms=5)

    assert_about_linear(work_of, 4_000, floor_s=0.05)


def test_removing_messages_from_a_large_episode_is_linear() -> None:
    def work_of(n: int) -> Callable[[], object]:
        names = [f"m{place}" for place in range(n)]
        facts = json.dumps([{"message_indexes": [place]} for place in range(n)])
        episode = {"id": "e", "message_ids": names, "facts": facts, "summary": None}
        return lambda: episodes_without([episode], {"m0"}, set())

    assert_about_linear(work_of, 1_000)


@pytest.mark.parametrize("told", ["apart", "together", "beside others"])
def test_projecting_facts_of_a_merged_entity_is_linear(told: str) -> None:
    def work_of(n: int) -> Callable[[], object]:
        facts = [a_held_fact(place, told) for place in range(n)]
        return lambda: projected_edges(facts, {})

    assert_about_linear(work_of, 200)


def a_held_fact(place: int, told: str) -> dict[str, Any]:
    """Return one of many places where a merged entity lives."""
    telling = Assertion(
        message_id=MemoryId("m" if told == "together" else f"m{place}"),
        scene_id=MemoryId("s"),
        valid_at=NOON,
        valid_by=NOON,
        said_at=NOON,
        heard_at=NOON,
        position=place,
        adds=told == "beside others",
    )
    at = NOON + timedelta(hours=place)
    properties = {
        "id": f"f{place:05}",
        "uri": f"mnemoscene://t/u/entity/ann/profile/RELATES_TO/lives in/x{place}/0",
        "relation": "lives in",
        "valid_at": at,
        "first_seen": at,
        "last_seen": at,
        "evidence": ["m"],
        "scenes": ["s"],
        "quotes": [],
        "base_strength": 0.5,
        "confidence": 0.5,
        "assertions": [assertion_text(telling)],
    }
    return {
        "subject_id": "ann",
        "object_id": f"x{place:05}",
        "subject_root": "root",
        "object_root": f"x{place:05}",
        "predicate": "RELATES_TO",
        "properties": properties,
    }
