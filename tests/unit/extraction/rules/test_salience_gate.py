"""The gate before the model: small talk costs nothing, and hardly anything worthwhile is lost. Requirement C5."""

import json
import time
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

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
_ROLES = {"U": Role.USER, "A": Role.ASSISTANT, "T": Role.TOOL, "S": Role.SYSTEM}
# At most so much of what is worthwhile may be skipped, and at least so much of the small talk must be.
LOST_MAX, SKIPPED_MIN = 0.02, 0.95


def a_scene(*lines: str, fresh: bool = True) -> SceneText:
    """A scene of lines like `U: Hi!`."""
    told = tuple(
        SceneLine(
            message_id=MemoryId(f"id{i}"), role=_ROLES[line[0]], speaker=None, text=line[3:], said_at=NOON, fresh=fresh
        )
        for i, line in enumerate(lines)
    )
    return SceneText(user_names=(), agent_names=(), lines=told)


def cases(language: str, kind: str) -> list[list[str]]:
    """Labelled scenes of one language."""
    told: dict[str, list[list[str]]] = json.loads(
        Path(__file__).with_name(f"salience_gate_{language}.json").read_text("utf-8")
    )
    return told[kind]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_small_talk_is_skipped_and_what_matters_is_read(language: str) -> None:
    talk, worthwhile = cases(language, "small_talk"), cases(language, "worthwhile")
    read = [scene for scene in talk if worth_reading(a_scene(*scene))]
    lost = [scene for scene in worthwhile if not worth_reading(a_scene(*scene))]
    assert min(len(talk), len(worthwhile)) >= 60
    assert len(lost) <= LOST_MAX * len(worthwhile), lost
    assert len(talk) - len(read) >= SKIPPED_MIN * len(talk), read


@pytest.mark.parametrize("language", ["en", "zh"])
def test_one_worthwhile_line_among_small_talk_is_enough(language: str) -> None:
    talk = [line for scene in cases(language, "small_talk")[:5] for line in scene]
    for scene in cases(language, "worthwhile"):
        assert worth_reading(a_scene(*talk, *scene)), scene


def test_what_was_read_before_is_not_paid_for_again() -> None:
    assert not worth_reading(a_scene("U: I live in Lisbon.", fresh=False))


@given(st.text(max_size=300), st.sampled_from("UATS"))
def test_no_text_breaks_the_gate(text: str, role: str) -> None:
    assert worth_reading(a_scene(f"{role}: {text}")) in (True, False)


@pytest.mark.parametrize(
    "text", ["ha" * 50_000, "so very " * 12_000, "好" * 100_000, "我真的" * 30_000, "(" * 100_000, "ok " * 300]
)
def test_the_longest_message_is_judged_at_once(text: str) -> None:
    begun = time.perf_counter()
    worth_reading(a_scene(f"U: {text}", f"A: {text}"))
    assert time.perf_counter() - begun < 1


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
def test_who_speaks_decides_how_a_scene_is_read(roles: str, strategy: Strategy | None) -> None:
    assert strategy_of(a_scene(*(f"{role}: I live in Lisbon." for role in roles))) is strategy
