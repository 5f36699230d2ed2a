"""Read data sets: conversations with questions, of two formats; `docs/evaluation.md` describes both.

A published conversation names the messages that answer its questions. An everyday memory has patterns that judge the
text of hits instead, and facts as a careful agent would send them.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from extraction.text.chinese import is_chinese
from graph_service.importers.file_checks import problems_of, refusal, text_of
from schema.errors import InputError
from schema.json_text import read_json
from schema.labels import Role
from schema.limits import LIMITS
from schema.timespan import as_utc

# Categories of questions without an answer, which measure abstention.
UNANSWERABLE: Final = frozenset({"adversarial", "unanswerable"})
_ASKED_AFTER: Final = timedelta(hours=1)
_OUTCOME: Final = "nothing was measured"
_PATTERN_CHARS_MAX: Final = 500
# Subjects of facts about the first two speakers.
_SUBJECTS: Final = ("user", "assistant")
M = TypeVar("M", bound=BaseModel)


class FactSource(StrEnum):
    """The facts provided with the messages: none, or the observations of the data set's authors."""

    NONE = "none"
    OBSERVATIONS = "observations"


class _Row(BaseModel):
    model_config = ConfigDict(frozen=True)


def compiled(pattern: str) -> re.Pattern[str]:
    """Return the compiled pattern of an answer.

    Raises:
        ValueError: it is too long, or no regular expression.
    """
    if len(pattern) > _PATTERN_CHARS_MAX:
        raise ValueError(f"a pattern has {len(pattern)} characters; at most {_PATTERN_CHARS_MAX} are allowed")
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise ValueError(f"{pattern!r} is not a regular expression: {error}") from error


Pattern = Annotated[str, AfterValidator(lambda text: compiled(text).pattern)]


class Message(_Row):
    """One message as an agent sends it; `id` is unique within its file."""

    id: str
    role: Annotated[Role, BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value)]
    speaker: str = ""
    time: datetime
    text: str


class Session(_Row):
    """Messages of one session, oldest first."""

    id: str
    messages: list[Message] = Field(min_length=1)


class Question(_Row):
    """A question, with the messages that are evidence of its answer or the patterns that judge a hit's text.

    Attributes:
        asked_at: always set in an everyday memory.
        gold_messages: ids of these messages; empty when the conversation does not answer it.
        answer: patterns of a right text.
        all_of: for answers that are lists, the patterns of each item; a complete answer matches one of every item.
        stale: patterns of outdated, rejected or other people's values.
    """

    id: str
    category: str
    question: str
    asked_at: datetime | None = None
    gold_messages: list[str] = []
    answer: list[Pattern] = []
    all_of: list[list[Pattern]] = []
    stale: list[Pattern] = []
    answerable: bool = True

    @property
    def gold(self) -> frozenset[str]:
        return frozenset(self.gold_messages)


class Fact(_Row):
    """A fact as a careful agent would send it with the messages of `session`; extra fields are those of `FactInput`."""

    model_config = ConfigDict(frozen=True, extra="allow")

    session: str
    messages: list[str] = Field(min_length=1)
    statement: str = ""


class Conversation(_Row):
    """The messages of one user, with questions about them.

    Attributes:
        dataset: empty for an everyday memory.
    """

    id: str
    dataset: str = ""
    lang: str
    licence: str = ""
    user_id: str = Field(min_length=1)
    user_name: str = ""
    speakers: tuple[str, ...] = ()
    sessions: list[Session] = Field(min_length=1)
    questions: list[Question] = []
    facts: list[Fact] = []

    @property
    def messages(self) -> list[Message]:
        """Return all messages, in the order of the sessions."""
        return [message for session in self.sessions for message in session.messages]

    @property
    def asked_at(self) -> datetime:
        """Return one hour after the last message, when a published conversation is asked its questions."""
        return max(message.time for message in self.messages) + _ASKED_AFTER

    @property
    def answerable(self) -> list[Question]:
        """Return the questions with gold messages, by which recall is measured."""
        return [question for question in self.questions if question.gold_messages]


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
    dataset: str = Field(min_length=1)
    licence: str = "none stated"
    speakers: list[str] = []
    sessions: list[_SessionRow]
    facts: list[_FactRow] = []
    questions: list[_QuestionRow]


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSets:
    conversations: list[Conversation]
    memories: list[Conversation]


def read_all(paths: Sequence[Path], *, conversations_max: int | None = None, captions: bool = True) -> DataSets:
    """Read files, and all `*.json` below folders, ordered by path; the format of each is detected.

    Args:
        conversations_max: maximum number per data set, and of everyday memories; the first by path are kept.
        captions: append captions of pictures to the messages, as published for LoCoMo.

    Raises:
        InputError: lists the problems of all files.
    """
    kept: list[Conversation] = []
    problems: list[str] = []
    seen: Counter[str] = Counter()
    for file in _files(paths, problems):
        try:
            conversation = conversation_of(read_json(text_of(file)), name=str(file), captions=captions)
            seen[conversation.dataset] += 1
            if conversations_max is None or seen[conversation.dataset] <= conversations_max:
                kept.append(conversation)
        except json.JSONDecodeError as error:
            problems.append(f"{file} line {error.lineno}: not JSON ({error.msg})")
        except InputError as error:
            problems += error.problems
    if problems:
        raise refusal(problems, outcome=_OUTCOME)
    return DataSets(
        conversations=[one for one in kept if one.dataset], memories=[one for one in kept if not one.dataset]
    )


def conversation_of(document: object, *, name: str, captions: bool = True) -> Conversation:
    """Return the checked conversation of a parsed file.

    If every session has a single turn, as in a diary, the turns of each year become one session.

    Raises:
        InputError: lists all problems with their places.
    """
    if isinstance(document, dict) and "user_id" in document:
        found = _validated(Conversation, document | {"dataset": ""}, name)
    else:
        found = _validated(Conversation, _published(_validated(_File, document, name), captions=captions), name)
    if mistakes := list(_mistakes(found, name)):
        raise refusal(mistakes, outcome=_OUTCOME)
    return found


def _validated(model: type[M], document: object, name: str) -> M:
    try:
        return model.model_validate(document)
    except ValidationError as error:
        raise refusal(problems_of(error, name), outcome=_OUTCOME) from error


def _files(paths: Sequence[Path], problems: list[str]) -> list[Path]:
    files: dict[Path, None] = {}
    for path in paths:
        within = sorted(path.rglob("*.json")) if path.is_dir() else [path]
        if not within:
            problems.append(f"{path}: no .json file is in this folder")
        files |= dict.fromkeys(within)
    return list(files)


def _mistakes(found: Conversation, name: str) -> Iterator[str]:
    """Yield the problems that the models do not detect."""
    ids = Counter(message.id for message in found.messages)
    for message_id, times in ids.items():
        if times > 1:
            yield f"{name}: {times} messages have the id {message_id!r}; ids are unique within a file"
    yield from (f"{name}: message {one.id!r} has no text" for one in found.messages if not one.text.strip())
    for question in found.questions:
        if not question.question.strip():
            yield f"{name}: question {question.id!r} has no text"
        if not found.dataset and question.asked_at is None:
            yield f"{name}: question {question.id!r} has no asked_at"
        if not found.dataset and question.answerable and not question.answer:
            yield f"{name}: question {question.id!r} is answerable and needs at least one pattern in 'answer'"
        for unknown in sorted(question.gold - ids.keys()):
            yield f"{name}: question {question.id!r} names the message {unknown!r}, which is not in the file"
    sessions = {session.id for session in found.sessions}
    for place, fact in enumerate(found.facts):
        for unknown in sorted(set(fact.messages) - ids.keys()) or {fact.session} - sessions:
            yield f"{name}: facts.{place} names {unknown!r}, which is not in the file"


def _published(file: _File, *, captions: bool) -> dict[str, Any]:
    """Return a published conversation as an everyday memory is written: the first speaker is the user."""
    user = file.speakers[0] if file.speakers else file.id
    turns = [
        (f"{file.id}-{session.index}", _message(turn, session.date, user, file.lang if captions else None))
        for session in file.sessions
        for turn in session.turns
    ]
    if len(turns) > 1 and len({session for session, _ in turns}) == len(turns):
        turns = sorted(
            ((f"{file.id}-{message['time'].year}", message) for _, message in turns), key=lambda turn: turn[1]["time"]
        )
    session_of = {message["id"]: session for session, message in turns}
    return {
        "id": file.id,
        "dataset": file.dataset,
        "lang": file.lang,
        "licence": file.licence,
        "user_id": user,
        "user_name": user if file.speakers else "",
        "speakers": file.speakers,
        "sessions": [
            {"id": session, "messages": [message for _, message in part]}
            for session, part in groupby(turns, key=lambda turn: turn[0])
        ],
        "questions": [
            {
                "id": row.id,
                "category": row.category,
                "question": row.question,
                "gold_messages": [] if row.category in UNANSWERABLE else row.gold,
            }
            for row in file.questions
        ],
        "facts": [
            {
                "session": session_of.get(fact.turns[0], ""),
                "messages": fact.turns,
                **observation(fact.text, file.speakers),
            }
            for fact in file.facts
            if fact.turns
        ],
    }


def _message(turn: _TurnRow, date: datetime, user: str, captioned: str | None) -> dict[str, Any]:
    """Return a turn as a message.

    Args:
        captioned: the language of the conversation, if captions of pictures are part of its texts.
    """
    # Translated data sets keep English captions, which an agent would not use with a Chinese user.
    caption = turn.caption.strip() if captioned and (captioned != "zh" or is_chinese(turn.caption)) else ""
    return {
        "id": turn.id,
        "role": Role.USER if turn.speaker in ("", user) else Role.ASSISTANT,
        "speaker": turn.speaker,
        "time": as_utc(date),
        "text": f"{turn.text} [{caption}]" if caption else turn.text,
    }


def observation(text: str, speakers: Sequence[str]) -> dict[str, Any]:
    """Return an observation as a `FactInput`: a leading speaker becomes the subject, the next word the relation."""
    rest, subject = text.strip().rstrip(".。"), None
    for place, speaker in enumerate(speakers):
        if rest.startswith(speaker):
            subject = _SUBJECTS[place] if place < len(_SUBJECTS) else speaker
            rest = rest.removeprefix(speaker).removeprefix("'s").strip()
            break
    verb, _, thing = rest.partition(" ")
    fact = {
        "subject": subject or "user",
        "predicate": "RELATES_TO",
        "object": (thing if subject and thing else rest)[: LIMITS.name_chars].strip() or text[:20],
        "statement": text[: LIMITS.statement_chars],
    }
    return {**fact, "relation": verb[: LIMITS.name_chars]} if subject and thing else fact
