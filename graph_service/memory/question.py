"""A question, checked, and what can be known about it before the database is asked. Pure."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from extraction.asked_time import QuestionTime
from graph_service.memory.incoming import text_problem
from graph_service.memory.narrowing import EVERYTHING, Mode, Narrowing
from schema.errors import InputError
from schema.limits import LIMITS, Limits
from schema.timespan import Timespan, as_utc, iso
from schema.zones import zone_named

_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]+")
_KEYS_MAX = 400
_CAPITAL = re.compile(r"(?<![A-Za-z])[A-Z][a-z]+(?![A-Za-z])")


class Kind(StrEnum):
    """What an answer can consist of."""

    MESSAGE = "message"
    SCENE = "scene"
    FACT = "fact"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What somebody asks a user's memory.

    Attributes:
        limit: how many hits at most, 1-100.
        start, end: only what was said from `start` until before `end`.
        valid_at: facts that held at this moment; None means at `as_of`, or now.
        as_of: by what was known at this moment: what we heard later is left out; None means by all that is known.
        asked_at: when it is asked; "yesterday" is the day before. None means now.
        zone: whose days are meant, an IANA name or `+08:00`; None means that of `asked_at`.
        evidence: how many proving messages to bring with each fact and scene, 0-20.
        session_id: the conversation the question is asked in; "she" is then looked up among the names said last.
        mode: how what was found is ranked; None means as the settings say.
        narrowed: to a part of the memory.
    """

    user_id: str
    text: str
    limit: int = 10
    kinds: tuple[Kind, ...] = tuple(Kind)
    start: datetime | None = None
    end: datetime | None = None
    valid_at: datetime | None = None
    as_of: datetime | None = None
    asked_at: datetime | None = None
    zone: str | None = None
    evidence: int = 0
    session_id: str | None = None
    mode: Mode | None = None
    narrowed: Narrowing = EVERYTHING


def check_question(question: Question, limits: Limits = LIMITS) -> Timespan:
    """The span of time the question is limited to.

    Raises:
        InputError: listing every mistake found.
    """
    problems = []
    for name, text, chars_max in (
        ("userId", question.user_id, limits.id_chars),
        ("query", question.text, limits.query_chars),
        ("sessionId", "-" if question.session_id is None else question.session_id, limits.id_chars),
    ):
        problem = text_problem(text, chars_max)
        problems += [f"{name} {problem}"] if problem else []
    if not 1 <= question.limit <= limits.results:
        problems.append(f"limit is {question.limit}; use 1 to {limits.results}")
    if not 0 <= question.evidence <= limits.evidence:
        problems.append(f"evidence is {question.evidence}; use 0 to {limits.evidence}")
    if not question.kinds:
        problems.append("kinds is empty; leave it out or name some of message, scene, fact")
    if question.zone is not None and zone_named(question.zone) is None:
        problems.append(f"zone {question.zone!r} is unknown; use an IANA name such as Asia/Shanghai, or +08:00")
    given = (question.start, question.end, question.valid_at, question.as_of, question.asked_at)
    moments = [moment for moment in given if moment is not None]
    problems += [f"the year {moment.year} is out of reach" for moment in moments if not 1 < moment.year < 9999]
    if not problems and question.start and question.end and as_utc(question.end) < as_utc(question.start):
        problems.append(f"the time ends ({iso(question.end)}) before it starts ({iso(question.start)}); swap the two")
    problems += question.narrowed.problems(limits)
    if problems:
        raise InputError("; ".join(problems), tuple(problems))
    return Timespan(
        start=as_utc(question.start) if question.start else None, end=as_utc(question.end) if question.end else None
    )


def reference_of(question: Question, now: datetime) -> datetime:
    """When the question is asked, in the zone whose days it means."""
    asked_at = question.asked_at or now
    if question.zone is not None:
        return as_utc(asked_at).astimezone(zone_named(question.zone))
    return asked_at if asked_at.tzinfo is not None else as_utc(asked_at)


def limited(given: Timespan, time: QuestionTime) -> tuple[Timespan, tuple[str, ...]]:
    """The time something must have been said in, and a note where the question's own words limit it."""
    said = time.limit
    if said is None or given.start is not None or given.end is not None:
        return given, ()
    return said, (f"only what was said from {iso(said.start)} until before {iso(said.end)}, as the question asks",)


def is_chinese(text: str) -> bool:
    """Whether a text is mostly Chinese, counting a Chinese character like half a word."""
    cjk = sum(len(run) for run in _CJK.findall(text))
    latin = len([word for word in _WORD.findall(text) if not _CJK.search(word)])
    return cjk / 2 > latin


def capitals_in(text: str) -> frozenset[str]:
    """Words written with a capital, case folded: names, and the word a sentence begins with."""
    return frozenset(word.casefold() for word in _CAPITAL.findall(text))


def name_keys(text: str, *, words_max: int = 4, chars_max: int = 8) -> list[str]:
    """Every stretch of a question that could be a name: up to four Latin words, or two to eight Chinese characters.

    A plural also asks for its singular, because entities are named as they were first said. At most 400 keys.
    """
    folded = text.casefold()
    keys: dict[str, None] = {}
    # Chinese stands beside a Latin name without a space: "Caroline什么时候来？"
    for latin in map(_WORD.findall, _CJK.split(folded)):
        for size in range(1, words_max + 1):
            for i in range(len(latin) - size + 1):
                key = " ".join(latin[i : i + size])
                keys[key] = None
                keys[key[:-1] if key.endswith("s") and len(key) > 3 else f"{key}s"] = None
    for run in _CJK.findall(folded):
        for size in range(2, min(chars_max, len(run)) + 1):
            for i in range(len(run) - size + 1):
                keys[run[i : i + size]] = None
    return list(keys)[:_KEYS_MAX]
