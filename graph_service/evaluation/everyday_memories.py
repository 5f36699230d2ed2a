"""Everyday memories: sessions with an assistant, questions with answer patterns, and their scores. Pure.

A file contains the sessions of one user, questions asked afterwards, and the facts that a careful agent would send with
each session; `docs/evaluation.md` describes the format. Unlike in `dataset.py`, the *text* of a hit is judged: it is
right if it matches an answer pattern, and stale if it matches only patterns of outdated or wrong values.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Annotated, Any, Final, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from graph_service.importers.file_checks import raise_problems, validated
from schema.labels import Role
from schema.timespan import as_utc

CONTEXT_TOKENS: Final = 300
ALL: Final = "all"
_PATTERN_CHARS_MAX: Final = 500


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True)


def _compiled(pattern: str) -> re.Pattern[str]:
    if len(pattern) > _PATTERN_CHARS_MAX:
        raise ValueError(f"a pattern has {len(pattern)} characters; at most {_PATTERN_CHARS_MAX} are allowed")
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"{pattern!r} is not a regular expression: {error}") from error


Pattern = Annotated[str, AfterValidator(lambda text: _compiled(text).pattern)]


class Message(_Row):
    """One message as an agent sends it."""

    id: str
    role: Annotated[Role, BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value)]
    speaker: str = ""
    time: datetime
    text: str = Field(min_length=1)


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
    answer: list[Pattern] = []
    all_of: list[list[Pattern]] = []
    stale: list[Pattern] = []
    answerable: bool = True

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

    @property
    def user(self) -> str:
        """Return the id of the user."""
        return self.user_id


def is_everyday(document: object) -> bool:
    """Return whether a parsed file is an everyday memory, not a benchmark conversation."""
    return isinstance(document, dict) and "user_id" in document


def memory_of(document: Mapping[str, Any], *, name: str) -> Memory:
    """Return the checked memory of a parsed file.

    Args:
        name: name of the file, for error messages.

    Raises:
        InputError: lists every mistake with its place.
    """
    problems: list[str] = []
    memory = validated(Memory, document, name, problems)
    raise_problems(problems, outcome="nothing was measured")
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
