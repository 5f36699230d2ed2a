"""Everyday memories: sessions with an assistant, questions with answer patterns, and their scores.

A file contains the sessions of one user, questions asked afterwards, and the facts that a careful agent would send with
each session; `docs/evaluation.md` describes the format. The *text* of a hit is judged: it is right if it matches an
answer pattern, and stale if it matches only patterns of outdated or wrong values.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from graph_service.importers.file_checks import parse_json, raise_problems, validated
from schema.errors import InputError
from schema.labels import Role
from schema.timespan import as_utc

T = TypeVar("T")

CONTEXT_TOKENS: Final = 300
ALL: Final = "all"
OUTCOME: Final = "nothing was measured"
_PATTERN_CHARS_MAX: Final = 500


class FactSource(StrEnum):
    """The facts provided with the messages: none, or those of the file."""

    NONE = "none"
    OBSERVATIONS = "observations"


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True)


def _compiled(pattern: str) -> re.Pattern[str]:
    if len(pattern) > _PATTERN_CHARS_MAX:
        raise ValueError(f"a pattern has {len(pattern)} characters; at most {_PATTERN_CHARS_MAX} are allowed")
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"{pattern!r} is not a regular expression: {error}") from error


class Message(_Row):
    """One message as an agent sends it."""

    id: str
    role: Role
    speaker: str = ""
    time: datetime
    text: str = Field(min_length=1)

    @field_validator("role", mode="before")
    @classmethod
    def _lower(cls, value: Any) -> Any:
        return value.lower() if isinstance(value, str) else value


class Session(_Row):
    """Messages of one session, oldest first."""

    id: str
    messages: list[Message] = Field(min_length=1)


class Question(_Row):
    """A question and the patterns that judge a hit's text.

    Attributes:
        answer: patterns of a right text; empty if the question is unanswerable.
        all_of: for answers that are lists, the patterns of each item; a complete answer matches one of every item.
        stale: patterns of outdated, rejected or other people's values.
    """

    id: str
    category: str
    question: str = Field(min_length=1)
    lang: str = "en"
    asked_at: datetime
    gold_messages: list[str] = []
    paraphrase_messages: list[str] = []
    answer: list[str] = []
    all_of: list[list[str]] = []
    stale: list[str] = []
    answerable: bool = True

    @field_validator("answer", "stale")
    @classmethod
    def _patterns(cls, values: list[str]) -> list[str]:
        for value in values:
            _compiled(value)
        return values

    @field_validator("all_of")
    @classmethod
    def _items(cls, values: list[list[str]]) -> list[list[str]]:
        for item in values:
            for value in item:
                _compiled(value)
        return values

    @model_validator(mode="after")
    def _has_answer(self) -> Self:
        if self.answerable and not self.answer:
            raise ValueError("an answerable question needs at least one pattern in 'answer'")
        return self


class Fact(_Row):
    """A fact as a careful agent would send it with the messages of `session`; extra fields are those of `FactInput`."""

    model_config = ConfigDict(frozen=True, extra="allow")

    session: str
    messages: list[str] = Field(min_length=1)


class Memory(_Row):
    """One user's everyday memory with its questions."""

    id: str
    lang: str
    user_id: str = Field(min_length=1)
    user_name: str = ""
    sessions: list[Session] = Field(min_length=1)
    questions: list[Question] = []
    facts: list[Fact] = []

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        ids = [message.id for session in self.sessions for message in session.messages]
        repeated = {one for one, other in pairwise(sorted(ids)) if one == other}
        if repeated:
            raise ValueError(f"these message ids occur twice: {sorted(repeated)[:5]}; ids are unique within a file")
        known, sessions = set(ids), {session.id for session in self.sessions}
        for question in self.questions:
            if unknown := sorted({*question.gold_messages, *question.paraphrase_messages} - known):
                raise ValueError(f"question {question.id!r} names messages that are not in the file: {unknown[:5]}")
        for place, fact in enumerate(self.facts):
            if fact.session not in sessions or not set(fact.messages) <= known:
                raise ValueError(f"facts.{place} names a session or message that is not in the file")
        return self

    @property
    def messages_n(self) -> int:
        """Return the number of messages."""
        return sum(len(session.messages) for session in self.sessions)


def read_memories(paths: Sequence[Path], *, memories_max: int | None = None) -> list[Memory]:
    """Read files, and all `*.json` below folders, ordered by path; keep the first `memories_max`.

    Raises:
        InputError: lists the problems of all files.
    """
    return read_documents(paths, lambda document, name: memory_of(document, name=name))[:memories_max]


def read_documents(paths: Sequence[Path], parse: Callable[[Any, str], T]) -> list[T]:
    """Parse files, and all `*.json` below folders, ordered by path.

    Args:
        parse: gets the JSON document and the name of its file.

    Raises:
        InputError: lists the problems of all files.
    """
    parsed: list[T] = []
    problems: list[str] = []
    for file in _files(paths, problems):
        try:
            parsed.append(parse(parse_json(_text(file), name=str(file), outcome=OUTCOME), str(file)))
        except InputError as error:
            problems += error.problems
    raise_problems(problems, outcome=OUTCOME)
    return parsed


def _files(paths: Sequence[Path], problems: list[str]) -> list[Path]:
    files: dict[Path, None] = {}
    for path in paths:
        within = sorted(path.rglob("*.json")) if path.is_dir() else [path]
        if not within:
            problems.append(f"{path}: no .json file is in this folder")
        files |= dict.fromkeys(within)
    return list(files)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{file}: is not UTF-8 at byte {error.start}; convert it first") from error


def memory_of(document: object, *, name: str) -> Memory:
    """Return the checked memory of a parsed file.

    Args:
        name: name of the file, for error messages.

    Raises:
        InputError: lists every mistake with its place.
    """
    if isinstance(document, dict) and "user_id" not in document and "speakers" in document:
        raise InputError(
            f"{name}: is a benchmark conversation; measure it from a clone with python -m tests.benchmarks.evaluation"
        )
    problems: list[str] = []
    memory = validated(Memory, document, name, problems)
    raise_problems(problems, outcome=OUTCOME)
    assert memory is not None, "an invalid file has problems"
    return memory


def remember_inputs(memory: Memory, *, with_facts: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the id and the `RememberInput` of each session in order."""
    for session in memory.sessions:
        places = {message.id: place for place, message in enumerate(session.messages)}
        facts = [fact for fact in memory.facts if fact.session == session.id] if with_facts else []
        yield (
            session.id,
            {
                "userId": memory.user_id,
                "userName": memory.user_name or None,
                "sessionId": session.id,
                "messages": [
                    {
                        "id": message.id,
                        "role": message.role.name,
                        "speaker": message.speaker or None,
                        "time": message.time.isoformat(),
                        "text": message.text,
                    }
                    for message in session.messages
                ],
                "facts": [_fact_input(fact, places) for fact in facts],
            },
        )


def _fact_input(fact: Fact, places: Mapping[str, int]) -> dict[str, Any]:
    fields = fact.model_dump(exclude={"session", "messages"}, exclude_none=True)
    for name in ("validAt", "invalidAt"):
        if isinstance(fields.get(name), str):
            fields[name] = as_utc(datetime.fromisoformat(fields[name])).isoformat()
    if isinstance(fields.get("kind"), str):
        fields["kind"] = fields["kind"].upper()
    return fields | {"messageIndexes": [places[one] for one in fact.messages if one in places]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The service's answer to one question.

    Attributes:
        hits: texts of the hits, best first.
        nothing_relevant: the service reported that the memory probably contains no answer.
        context: text of a context of at most `CONTEXT_TOKENS` tokens.
    """

    memory: Memory
    question: Question
    hits: tuple[str, ...]
    nothing_relevant: bool
    context: str
    took_ms: float


def answer_scores(answer: Answer) -> dict[str, float]:
    """Return the scores of one question by name, each 0 or 1 (`mrr`: 0 to 1).

    Answerable: `answer@1`, `answer@3`, `answer@5`, `mrr`, `doubt` (the service reported `nothingRelevant`), `context`,
    and `stale@1` if it has stale patterns. Unanswerable: `not told` (the service did not report `nothingRelevant`) and
    `tempted` (likewise, and the first hit is stale).
    """
    question = answer.question
    first = answer.hits[:1]
    if not question.answerable:
        tempted = bool(first) and not answer.nothing_relevant and _matches_any(question.stale, first[0])
        return {"not told": float(not answer.nothing_relevant), "tempted": float(tempted)}
    ranks = (place for place, text in enumerate(answer.hits, start=1) if _matches_any(question.answer, text))
    scores = {
        **{f"answer@{depth}": float(_contains_answer(question, answer.hits[:depth])) for depth in (1, 3, 5)},
        "mrr": next((1 / place for place in ranks), 0.0),
        "doubt": float(answer.nothing_relevant),
        "context": float(_contains_answer(question, (answer.context,))),
    }
    if question.stale:
        stale = bool(first) and _matches_any(question.stale, first[0]) and not _matches_any(question.answer, first[0])
        scores["stale@1"] = float(stale)
    return scores


def _contains_answer(question: Question, texts: Sequence[str]) -> bool:
    """Return whether the texts together contain the answer; for a list, every item."""
    items = question.all_of or [question.answer]
    return all(any(_matches_any(item, text) for text in texts) for item in items)


def _matches_any(patterns: Sequence[str], text: str) -> bool:
    return any(_compiled(pattern).search(text) for pattern in patterns)


def summarise(answers: Sequence[Answer]) -> dict[str, Any]:
    """Return the mean scores overall, by category and by language, and the details of wrong answers."""
    rows = [(answer, answer_scores(answer)) for answer in answers]
    groups: dict[str, list[dict[str, float]]] = {}
    for answer, row in rows:
        # Answerable and unanswerable questions have different scores, so their means do not mix.
        for name in (ALL, f"category {answer.question.category}", f"language {answer.memory.lang}"):
            groups.setdefault(name, []).append(row)
    return {
        "questions": len(rows),
        "memories": len({answer.memory.id for answer in answers}),
        "context_tokens": CONTEXT_TOKENS,
        "groups": {name: _means(groups[name]) for name in sorted(groups, key=lambda one: (one != ALL, one))},
        "wrong": [
            _miss_details(answer, row) for answer, row in rows if row.get("answer@1", 1.0) < 1 or row.get("doubt")
        ],
    }


def _means(rows: Sequence[Mapping[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for row in rows for name in row)
    means: dict[str, float] = {"questions": len(rows)}
    for name in names:
        values = [row[name] for row in rows if name in row]
        means[name] = round(sum(values) / len(values), 4)
    return means


def _miss_details(answer: Answer, row: Mapping[str, float]) -> dict[str, Any]:
    """Return the details of a question whose first hit was wrong or that got `nothingRelevant`, for debugging."""
    return {
        "id": answer.question.id,
        "category": answer.question.category,
        "question": answer.question.question,
        "answer": answer.question.answer,
        "figures": {name: value for name, value in row.items() if name != "mrr"},
        "hits": [text[:160] for text in answer.hits[:5]],
    }
