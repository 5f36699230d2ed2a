"""A question, checked, and what can be known about it before the database is asked. Pure."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from extraction.temporal.question_time import QuestionTime
from graph_service.memory.argument_checks import text_problem
from schema.errors import InputError
from schema.ids import memory_id, name_key, session_uri
from schema.labels import Role
from schema.limits import LIMITS, Limits
from schema.timespan import Timespan, as_utc, iso
from schema.zones import zone_named

# What narrows a question beyond words and time: mode, scope, filters, a least score, where to go on. Pure.


class Mode(StrEnum):
    """How what was found is ranked."""

    BEST = "best"
    LAYERED = "layered"
    SIMILARITY_IMPORTANCE = "similarity_importance"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryFilters:
    """Only a part of what a user's memory holds.

    Attributes:
        session_id: only this conversation, and facts that it proves.
        agent_id: only conversations with this agent.
        roles: only what these roles said.
        entities: only what names one of these.
        score_min: only hits with at least this score.
        after: the cursor of the last answer to the same question.
    """

    session_id: str | None = None
    agent_id: str | None = None
    roles: tuple[Role, ...] = ()
    entities: tuple[str, ...] = ()
    score_min: float | None = None
    after: str | None = None

    @property
    def by_element(self) -> bool:
        """True if it leaves out elements that the indexes find, so that they must find more."""
        return bool(self.agent_id or self.roles or self.entities or self.session_id)

    def parameters(self, tenant: str, user_id: str) -> dict[str, Any]:
        """Return what `recall/recall` is told; null is no limit."""
        session = None if self.session_id is None else memory_id(session_uri(tenant, user_id, self.session_id))
        return {
            "session": session,
            "agent": self.agent_id,
            "roles": [role.value for role in self.roles] or None,
            "entity_filter": sorted({name_key(name) for name in self.entities}) or None,
        }

    def problems(self, limits: Limits) -> list[str]:
        """Return what is wrong with it, in words."""
        texts: Mapping[str, tuple[str, int]] = {
            **({} if self.session_id is None else {"inSession": (self.session_id, limits.id_chars)}),
            **({} if self.agent_id is None else {"agentId": (self.agent_id, limits.id_chars)}),
            **{f"entities[{at}]": (name, limits.name_chars) for at, name in enumerate(self.entities)},
        }
        found = [f"{name} {problem}" for name, (text, most) in texts.items() if (problem := text_problem(text, most))]
        if len(self.entities) > limits.results:
            found.append(f"entities names {len(self.entities)}; name at most {limits.results}")
        return found


EVERYTHING = QueryFilters()


def fingerprint(tenant: str, asked: Any) -> str:
    """Return everything that makes a question what it is, but how much of the answer is wanted at a time.

    Args:
        asked: a `Question`.
    """
    told = asdict(asked)
    told["narrowed"] = {name: value for name, value in told["narrowed"].items() if name != "after"}
    return repr((tenant, sorted((name, value) for name, value in told.items() if name not in ("limit", "evidence"))))


class HitKind(StrEnum):
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
    kinds: tuple[HitKind, ...] = tuple(HitKind)
    start: datetime | None = None
    end: datetime | None = None
    valid_at: datetime | None = None
    as_of: datetime | None = None
    asked_at: datetime | None = None
    zone: str | None = None
    evidence: int = 0
    session_id: str | None = None
    mode: Mode | None = None
    narrowed: QueryFilters = EVERYTHING


def check_question(question: Question, limits: Limits = LIMITS) -> Timespan:
    """Return the span of time the question is limited to.

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
    """Return the time something must have been said in, and a note where the question's own words limit it."""
    said = time.limit
    if said is None or given.start is not None or given.end is not None:
        return given, ()
    return said, (f"only what was said from {iso(said.start)} until before {iso(said.end)}, as the question asks",)
