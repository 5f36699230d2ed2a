"""Data sets: conversations with questions whose proof is known, read from files and checked as a whole."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ValidationError

from extraction.text.chinese import is_chinese
from graph_service.evaluation.everyday import Memory, is_everyday, memory_of
from schema.errors import InputError
from schema.json_text import read_json
from schema.timespan import as_utc

# Their proof is that nobody said it: they are asked to see whether the memory says so.
UNANSWERABLE: Final = frozenset({"adversarial", "unanswerable"})
_PROBLEMS_SHOWN: Final = 20
_AFTER: Final = timedelta(hours=1)


class FactsBrought(StrEnum):
    """Which facts come with the messages: none, or what the data set's authors noted."""

    NONE = "none"
    OBSERVATIONS = "observations"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a conversation.

    Attributes:
        id: unique within its conversation.
        text: what an agent hands in: what was said and, in brackets, what the picture shows that came with it.
        said_at: aware UTC; all turns of one session carry the session's moment.
    """

    id: str
    speaker: str
    text: str
    said_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A fact that the makers of the data set noted, and the turns that prove it."""

    text: str
    turn_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question and the turns that prove its answer.

    Attributes:
        gold: ids of turns; empty when nothing in the conversation answers it.
    """

    id: str
    category: str
    text: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What was said in one go."""

    id: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """One memory's worth of messages, and what is asked about it.

    Attributes:
        user: the name of whose memory it is: the first speaker; the conversation's id when nobody is named.
    """

    id: str
    dataset: str
    lang: str
    licence: str
    speakers: tuple[str, ...]
    sessions: tuple[Session, ...]
    observations: tuple[Observation, ...]
    questions: tuple[AskedQuestion, ...]

    @property
    def turns(self) -> tuple[Turn, ...]:
        """All turns, in the order of the sessions."""
        return tuple(turn for session in self.sessions for turn in session.turns)

    @property
    def user(self) -> str:
        return self.speakers[0] if self.speakers else self.id

    @property
    def asked_at(self) -> datetime:
        """When its questions are asked: a moment after everything was said."""
        return max(turn.said_at for turn in self.turns) + _AFTER

    @property
    def answerable(self) -> tuple[AskedQuestion, ...]:
        """The questions that recall is measured by."""
        return tuple(question for question in self.questions if question.gold)


class _TurnRow(BaseModel):
    id: str
    speaker: str = ""
    text: str
    caption: str = ""


class _SessionRow(BaseModel):
    index: int
    date: datetime
    turns: list[_TurnRow]


class _FactRow(BaseModel):
    text: str
    turns: list[str]


class _QuestionRow(BaseModel):
    id: str
    category: str = "all"
    question: str
    gold: list[str]


class _File(BaseModel):
    id: str
    lang: str
    dataset: str
    licence: str = "none stated"
    speakers: list[str] = []
    sessions: list[_SessionRow]
    facts: list[_FactRow] = []
    questions: list[_QuestionRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSets:
    """All that was read from the given paths: benchmark conversations, and everyday memories."""

    conversations: list[Conversation]
    memories: list[Memory]


def read_datasets(
    paths: Sequence[Path], *, conversations_max: int | None = None, captions: bool = True
) -> list[Conversation]:
    """Read the benchmark conversations of files and folders, as `read_all` does."""
    return read_all(paths, conversations_max=conversations_max, captions=captions).conversations


def read_all(paths: Sequence[Path], *, conversations_max: int | None = None, captions: bool = True) -> DataSets:
    """Read files and all `*.json` in folders, below them too, ordered by path; the form of each is recognised.

    Args:
        conversations_max: take at most so many of each data set (of everyday memories likewise), the first by path.
        captions: hand in what pictures show, as where LoCoMo was published.

    Raises:
        InputError: lists what is missing or wrong; all files are taken or none.
    """
    found: list[Conversation] = []
    memories: list[Memory] = []
    problems: list[str] = []
    for file in _files(paths, problems):
        try:
            document = _json(_text(file), name=str(file))
            if is_everyday(document):
                memories.append(memory_of(document, name=str(file)))
            else:
                found.append(_conversation(document, name=str(file), captions=captions))
        except InputError as error:
            problems += error.problems
    _refuse(problems)
    seen: Counter[str] = Counter()
    kept = []
    for conversation in found:
        seen[conversation.dataset] += 1
        if conversations_max is None or seen[conversation.dataset] <= conversations_max:
            kept.append(conversation)
    return DataSets(conversations=kept, memories=memories[:conversations_max])


def conversation_of(text: str, *, name: str, captions: bool = True) -> Conversation:
    """Return the conversation that a file's text holds.

    Single remarks on many days are a diary: a year of them makes one session, oldest first.

    Args:
        name: of the file, for error messages.
        captions: whether turns tell what their pictures show.

    Raises:
        InputError: lists the mistakes with their places.
    """
    return _conversation(_json(text, name=name), name=name, captions=captions)


def _json(text: str, *, name: str) -> Any:
    try:
        return read_json(text)
    except json.JSONDecodeError as error:
        raise InputError(f"{name} line {error.lineno}: not JSON ({error.msg})") from error


def _conversation(document: object, *, name: str, captions: bool) -> Conversation:
    try:
        row = _File.model_validate(document)
    except ValidationError as error:
        problems = [f"{name}: {'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
        _refuse(problems)
        raise AssertionError("unreachable: a validation error has problems") from error
    _refuse(list(_mistakes(row, name)))
    sessions = [_session(row, session, captions) for session in row.sessions if session.turns]
    if len(sessions) > 1 and all(len(session.turns) == 1 for session in sessions):
        sessions = _by_year(row.id, sessions)
    return Conversation(
        id=row.id,
        dataset=row.dataset,
        lang=row.lang,
        licence=row.licence,
        speakers=tuple(row.speakers),
        sessions=tuple(sessions),
        observations=tuple(Observation(text=fact.text, turn_ids=tuple(fact.turns)) for fact in row.facts),
        questions=tuple(_question(question) for question in row.questions),
    )


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


def _mistakes(row: _File, name: str) -> Iterator[str]:
    """Yield what the shape alone does not tell."""
    ids = Counter(turn.id for session in row.sessions for turn in session.turns)
    if not ids:
        yield f"{name}: holds no turn"
    repeated = ((turn_id, times) for turn_id, times in ids.items() if times > 1)
    yield from (
        f"{name}: {times} turns have the id {turn_id!r}; ids are unique within a file" for turn_id, times in repeated
    )
    turns = (turn for session in row.sessions for turn in session.turns)
    yield from (f"{name}: turn {turn.id!r} has no text" for turn in turns if not turn.text.strip())
    for question in row.questions:
        if not question.question.strip():
            yield f"{name}: question {question.id!r} has no text"
        for unknown in sorted(set(question.gold) - ids.keys()):
            yield f"{name}: question {question.id!r}: gold names the turn {unknown!r}, which is not in the file"
    for place, fact in enumerate(row.facts):
        for unknown in sorted(set(fact.turns) - ids.keys()):
            yield f"{name}: facts.{place}: names the turn {unknown!r}, which is not in the file"


def _session(row: _File, session: _SessionRow, captions: bool) -> Session:
    return Session(
        id=f"{row.id}-{session.index}",
        turns=tuple(
            Turn(
                id=turn.id,
                speaker=turn.speaker,
                text=_with_caption(turn, row.lang) if captions else turn.text,
                said_at=as_utc(session.date),
            )
            for turn in session.turns
        ),
    )


def _with_caption(turn: _TurnRow, lang: str) -> str:
    # Translated data sets keep captions in English, in which no agent would tell a Chinese user what it sees.
    told = turn.caption.strip() and (lang != "zh" or is_chinese(turn.caption))
    return f"{turn.text} [{turn.caption.strip()}]" if told else turn.text


def _by_year(conversation_id: str, sessions: Sequence[Session]) -> list[Session]:
    turns = sorted((turn for session in sessions for turn in session.turns), key=lambda turn: turn.said_at)
    years = groupby(turns, key=lambda turn: turn.said_at.year)
    return [Session(id=f"{conversation_id}-{year}", turns=tuple(part)) for year, part in years]


def _question(row: _QuestionRow) -> AskedQuestion:
    gold = frozenset() if row.category in UNANSWERABLE else frozenset(row.gold)
    return AskedQuestion(id=row.id, category=row.category, text=row.question, gold=gold)


def _refuse(problems: list[str]) -> None:
    if not problems:
        return
    more = len(problems) - _PROBLEMS_SHOWN
    shown = problems[:_PROBLEMS_SHOWN] + ([f"and {more} more"] if more > 0 else [])
    raise InputError("nothing was measured:\n" + "\n".join(f"  {problem}" for problem in shown), tuple(problems))
