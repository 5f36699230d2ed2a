"""Run the rule reader on the labelled cases and count the facts extracted correctly."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

from extraction.reader import THE_USER, ProposedFact, Reading, SceneLine, SceneText
from schema.ids import MemoryId
from schema.labels import Role
from tests.support.readers import read_with_tags

SAID_AT = datetime(2024, 5, 15, 10, tzinfo=UTC)


class Case(TypedDict):
    """A sentence of the user and its expected facts."""

    text: str
    facts: list[str]


@dataclass(slots=True)
class Score:
    """Numbers of expected, extracted and correct facts, with the errors."""

    expected: int = 0
    read: int = 0
    right: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        return self.right / self.read if self.read else 1.0

    @property
    def recall(self) -> float:
        return self.right / self.expected if self.expected else 1.0


def cases(name: str) -> list[Case]:
    """Return the cases of one language file in this folder."""
    loaded: list[Case] = json.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))
    return loaded


def a_scene(*texts: str, user: Sequence[str] = (), role: Role = Role.USER, speaker: str | None = None) -> SceneText:
    """Return a scene of unread lines by one speaker."""
    lines = tuple(
        SceneLine(message_id=MemoryId(f"m{number}"), role=role, speaker=speaker, text=text, said_at=SAID_AT)
        for number, text in enumerate(texts)
    )
    return SceneText(user_names=tuple(user), agent_names=(), lines=lines)


def read(*texts: str, user: Sequence[str] = (), role: Role = Role.USER, speaker: str | None = None) -> Reading:
    """Return the reading of a scene of such lines."""
    return asyncio.run(read_with_tags(a_scene(*texts, user=user, role=role, speaker=speaker)))


def shown(fact: ProposedFact) -> str:
    """Return a fact in the notation of the case files: `subject|PREDICATE:relation|object|closed`."""
    subject = "user" if fact.subject == THE_USER else fact.subject
    predicate = f"{fact.predicate}:{fact.relation}" if fact.relation else fact.predicate
    return "|".join([subject, predicate, fact.object, *(["closed"] if fact.closes else [])])


def scored(name: str, user: Sequence[str]) -> Score:
    """Return precision and recall over all cases of a file."""
    score = Score()
    for case in cases(name):
        got, expected = {shown(fact) for fact in read(case["text"], user=user).facts}, set(case["facts"])
        score.expected += len(expected)
        score.read += len(got)
        score.right += len(got & expected)
        if got != expected:
            score.wrong.append(f"{case['text']}  read {sorted(got - expected)}  missed {sorted(expected - got)}")
    return score
