"""Read data sets: conversations with questions and the turns that answer them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import Final

from pydantic import BaseModel

from extraction.text.chinese import is_chinese
from graph_service.evaluation.everyday_memories import Memory, is_everyday, memory_of
from graph_service.importers.file_checks import parse_json, raise_problems, validated
from schema.errors import InputError
from schema.timespan import as_utc

# Categories of questions without an answer, which measure abstention.
UNANSWERABLE: Final = frozenset({"adversarial", "unanswerable"})
_ASKED_AFTER: Final = timedelta(hours=1)
_OUTCOME: Final = "nothing was measured"


class FactSource(StrEnum):
    """The facts provided with the messages: none, or the observations of the data set's authors."""

    NONE = "none"
    OBSERVATIONS = "observations"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a conversation.

    Attributes:
        id: unique within its conversation.
        text: what was said, followed by the caption of its picture in brackets.
        said_at: aware UTC; the same for all turns of a session.
    """

    id: str
    speaker: str
    text: str
    said_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """A fact noted by the data set's authors, and the turns that are its evidence."""

    text: str
    turn_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question and the turns that are evidence of its answer.

    Attributes:
        gold: ids of these turns; empty when the conversation does not answer it.
    """

    id: str
    category: str
    text: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The turns of one session."""

    id: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A conversation with questions about it.

    Attributes:
        user: the first speaker; the conversation's id if there are no speakers.
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
        """Return all turns, in the order of the sessions."""
        return tuple(turn for session in self.sessions for turn in session.turns)

    @property
    def messages_n(self) -> int:
        return sum(len(session.turns) for session in self.sessions)

    @property
    def user(self) -> str:
        return self.speakers[0] if self.speakers else self.id

    @property
    def asked_at(self) -> datetime:
        """Return the time of its questions: one hour after the last turn."""
        return max(turn.said_at for turn in self.turns) + _ASKED_AFTER

    @property
    def answerable(self) -> tuple[AskedQuestion, ...]:
        """Return the questions with gold turns, by which recall is measured."""
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
    """Benchmark conversations and everyday memories."""

    conversations: list[Conversation]
    memories: list[Memory]


def read_all(paths: Sequence[Path], *, conversations_max: int | None = None, captions: bool = True) -> DataSets:
    """Read files, and all `*.json` below folders, ordered by path; the format of each is detected.

    Args:
        conversations_max: maximum number per data set, and of everyday memories; the first by path are kept.
        captions: append captions of pictures to the turns, as published for LoCoMo.

    Raises:
        InputError: lists the problems of all files.
    """
    found: list[Conversation] = []
    memories: list[Memory] = []
    problems: list[str] = []
    for file in _files(paths, problems):
        try:
            document = parse_json(_text(file), name=str(file), outcome=_OUTCOME)
            if is_everyday(document):
                memories.append(memory_of(document, name=str(file)))
            else:
                found.append(conversation_of(document, name=str(file), captions=captions))
        except InputError as error:
            problems += error.problems
    raise_problems(problems, outcome=_OUTCOME)
    seen: Counter[str] = Counter()
    kept = []
    for conversation in found:
        seen[conversation.dataset] += 1
        if conversations_max is None or seen[conversation.dataset] <= conversations_max:
            kept.append(conversation)
    return DataSets(conversations=kept, memories=memories[:conversations_max])


def conversation_of(document: object, *, name: str, captions: bool = True) -> Conversation:
    """Return the checked conversation of a parsed file.

    If every session has a single turn, as in a diary, the turns of each year become one session.

    Args:
        name: name of the file, for error messages.
        captions: append captions of pictures to the turns.

    Raises:
        InputError: lists all problems with their places.
    """
    problems: list[str] = []
    row = validated(_File, document, name, problems)
    raise_problems(problems, outcome=_OUTCOME)
    assert row is not None, "an invalid file has problems"
    raise_problems(list(_mistakes(row, name)), outcome=_OUTCOME)
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
    """Yield the problems that the row models do not detect."""
    ids = Counter(turn.id for session in row.sessions for turn in session.turns)
    if not ids:
        yield f"{name}: contains no turn"
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
    # Translated data sets keep English captions, which an agent would not use with a Chinese user.
    is_included = turn.caption.strip() and (lang != "zh" or is_chinese(turn.caption))
    return f"{turn.text} [{turn.caption.strip()}]" if is_included else turn.text


def _by_year(conversation_id: str, sessions: Sequence[Session]) -> list[Session]:
    turns = sorted((turn for session in sessions for turn in session.turns), key=lambda turn: turn.said_at)
    years = groupby(turns, key=lambda turn: turn.said_at.year)
    return [Session(id=f"{conversation_id}-{year}", turns=tuple(part)) for year, part in years]


def _question(row: _QuestionRow) -> AskedQuestion:
    gold = frozenset() if row.category in UNANSWERABLE else frozenset(row.gold)
    return AskedQuestion(id=row.id, category=row.category, text=row.question, gold=gold)
