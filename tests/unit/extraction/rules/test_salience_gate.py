"""Test the gate before the model: it skips small talk and nearly no facts."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.llm.scene_reader import Strategy, strategy_of
from extraction.reader import SceneLine, SceneText
from extraction.rules.salience_gate import worth_reading
from schema.ids import MemoryId
from schema.labels import Role
from tests.support.growth import cpu_within

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
_ROLES = {"U": Role.USER, "A": Role.ASSISTANT, "T": Role.TOOL, "S": Role.SYSTEM}
# Maximum share of relevant scenes that may be skipped, and minimum share of small talk that must be.
LOST_MAX, SKIPPED_MIN = 0.02, 0.95


def a_scene(*lines: str, fresh: bool = True) -> SceneText:
    """Return a scene of lines such as `U: Hi!`."""
    told = tuple(
        SceneLine(
            message_id=MemoryId(f"id{i}"), role=_ROLES[line[0]], speaker=None, text=line[3:], said_at=NOON, fresh=fresh
        )
        for i, line in enumerate(lines)
    )
    return SceneText(user_names=(), agent_names=(), lines=told)


def cases(language: str, kind: str) -> list[list[str]]:
    """Return the labelled scenes of one language."""
    told: dict[str, list[list[str]]] = json.loads(
        Path(__file__).with_name(f"salience_gate_{language}.json").read_text("utf-8")
    )
    return told[kind]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_small_talk_is_skipped_and_relevant_scenes_are_read(language: str) -> None:
    talk, worthwhile = cases(language, "small_talk"), cases(language, "worthwhile")
    read = [scene for scene in talk if worth_reading(a_scene(*scene))]
    lost = [scene for scene in worthwhile if not worth_reading(a_scene(*scene))]
    assert min(len(talk), len(worthwhile)) >= 60
    assert len(lost) <= LOST_MAX * len(worthwhile), lost
    assert len(talk) - len(read) >= SKIPPED_MIN * len(talk), read


@pytest.mark.parametrize("language", ["en", "zh"])
def test_one_relevant_line_among_small_talk_is_enough(language: str) -> None:
    talk = [line for scene in cases(language, "small_talk")[:5] for line in scene]
    for scene in cases(language, "worthwhile"):
        assert worth_reading(a_scene(*talk, *scene)), scene


def test_lines_read_before_do_not_cause_a_call() -> None:
    assert not worth_reading(a_scene("U: I live in Lisbon.", fresh=False))


@given(st.text(max_size=300), st.sampled_from("UATS"))
def test_any_text_passes_the_gate_without_error(text: str, role: str) -> None:
    assert worth_reading(a_scene(f"{role}: {text}")) in (True, False)


@pytest.mark.parametrize(
    "text", ["ha" * 50_000, "so very " * 12_000, "好" * 100_000, "我真的" * 30_000, "(" * 100_000, "ok " * 300]
)
def test_longest_message_is_judged_quickly(text: str) -> None:
    with cpu_within(1):
        worth_reading(a_scene(f"U: {text}", f"A: {text}"))


@pytest.mark.parametrize(
    ("roles", "strategy"),
    [
        ("UA", Strategy.DUAL),
        ("UU", Strategy.USER_ONLY),
        ("AS", Strategy.ASSISTANT_ONLY),
        ("UAT", Strategy.PROCEDURAL),
        ("TA", Strategy.PROCEDURAL),
        ("S", None),
        ("", None),
    ],
)
def test_roles_of_a_scene_select_the_strategy(roles: str, strategy: Strategy | None) -> None:
    assert strategy_of(a_scene(*(f"{role}: I live in Lisbon." for role in roles))) is strategy
