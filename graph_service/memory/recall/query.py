"""Validate a question to a memory, and resolve its times, scope and cursor. Pure."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from graph_service.memory.argument_checks import text_problem
from graph_service.memory.facts.bitemporal import AsOf, resolve_as_of
from graph_service.memory.recall.cursor import CursorState, shown_in
from graph_service.memory.tags import tag_problems
from schema.errors import InputError
from schema.filters import EVERYTHING as ANY_METADATA
from schema.filters import Filter
from schema.ids import TenantId, session_uri, user_uri
from schema.labels import Role
from schema.limits import LIMITS, Limits
from schema.timespan import Timespan, as_utc, iso
from schema.zones import zone_named


class Mode(StrEnum):
    """Ranking mode (`ranking_modes`)."""

    BEST = "best"
    LAYERED = "layered"
    SIMILARITY_IMPORTANCE = "similarity_importance"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryFilters:
    """Filters on the answer to a question; all must match.

    Attributes:
        session_id: only this session, and facts with evidence in it.
        agent_id: only sessions with this agent.
        roles: only messages with these roles; all if empty.
        entities: only results that mention one of these entities.
        tags: only messages with one of these tags, and scenes and facts with such a message as evidence.
        where: only messages whose metadata match this filter, and what they prove.
        score_min: minimum score.
        after: cursor of the previous page of the answer.
    """

    session_id: str | None = None
    agent_id: str | None = None
    roles: tuple[Role, ...] = ()
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    where: Filter = ANY_METADATA
    score_min: float | None = None
    after: str | None = None

    @property
    def by_element(self) -> bool:
        """True if any filter applies after the index search, so that the indexes must return more."""
        return bool(
            self.agent_id or self.roles or self.entities or self.tags or self.where != ANY_METADATA or self.session_id
        )


EVERYTHING: Final = QueryFilters()


class HitKind(StrEnum):
    """Kind of hit."""

    MESSAGE = "message"
    SCENE = "scene"
    FACT = "fact"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to one user's memory.

    Attributes:
        limit: maximum number of hits, 1-100.
        start, end: only messages said at or after `start` and before `end`, scenes said then or about a time that
            overlaps it, and facts that began, ended or happened then, or have evidence said then.
        valid_at: valid time: only facts that were valid then; None means at `as_of`, at `asked_at`, or now.
        as_of: transaction time: only facts that were known then; None means all facts.
        asked_at: time to which words such as "yesterday" refer; None means now. Messages said, and facts that
            began, more than a day later are left out.
        zone: time zone of such words, an IANA name or `+08:00`; None means that of `asked_at`.
        evidence: maximum number of evidence messages returned with each fact and scene, 0-20.
        session_id: session in which the question is asked; "she" refers to names in its last messages.
        mode: ranking mode; None means the default of the settings.
        filters: see `QueryFilters`.
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
    filters: QueryFilters = EVERYTHING


def check_question(question: Question, limits: Limits = LIMITS) -> Timespan:
    """Validate a question and return its filter on time, from `start` to `end`.

    Raises:
        InputError: lists all problems.
    """
    filters = question.filters
    texts = (
        ("userId", question.user_id, limits.id_chars),
        ("query", question.text, limits.query_chars),
        ("sessionId", question.session_id, limits.id_chars),
        ("inSession", filters.session_id, limits.id_chars),
        ("agentId", filters.agent_id, limits.id_chars),
        *((f"entities[{at}]", name, limits.name_chars) for at, name in enumerate(filters.entities)),
    )
    problems = [
        f"{name} {problem}"
        for name, text, chars_max in texts
        if text is not None and (problem := text_problem(text, chars_max))
    ]
    if len(filters.entities) > limits.results:
        problems.append(f"entities names {len(filters.entities)}; name at most {limits.results}")
    problems += [f"filter{problem}" for problem in tag_problems(filters.tags)]
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
    if problems:
        raise InputError("; ".join(problems), tuple(problems))
    return Timespan(
        start=as_utc(question.start) if question.start else None, end=as_utc(question.end) if question.end else None
    )


# Clocks differ, and so do the zones of times that are given without one.
_ASKED_WITHIN = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedQuestion:
    """A validated question with its resolved times, scope and cursor.

    Attributes:
        span: time between `start` and `end`.
        reference: time to which words such as "yesterday" refer, in their time zone.
        moments: valid time and transaction time.
        key: fingerprint that identifies the question on all its pages.
        shown: content of the cursor: the hits of earlier pages.
        uri_prefixes: see `uri_prefixes`.
    """

    tenant: TenantId
    question: Question
    span: Timespan
    reference: datetime
    moments: AsOf
    key: str
    shown: CursorState
    uri_prefixes: tuple[str, str]

    @property
    def known_before(self) -> datetime | None:
        """Return the exclusive upper bound of `said_at`; None for a question without `asked_at`."""
        asked_at = self.question.asked_at
        return None if asked_at is None else as_utc(asked_at) + _ASKED_WITHIN

    @property
    def now(self) -> datetime:
        """Return the time at which the first page was requested."""
        return self.shown.asked_at


def resolve_question(tenant: TenantId, question: Question, *, now: datetime) -> ResolvedQuestion:
    """Validate a question and resolve its times, scope and cursor.

    Raises:
        InputError: lists all problems, or the one of the cursor.
    """
    span = check_question(question)
    zone = zone_named(question.zone or "UTC")
    key = fingerprint(tenant, question)
    prefixes = uri_prefixes(tenant, question.user_id, session_id=question.filters.session_id)
    after = question.filters.after
    shown = CursorState(asked_at=now) if after is None else shown_in(after, key, now=now)
    asked_at = question.asked_at or shown.asked_at
    valid_at = question.valid_at or (None if question.as_of else held_at(question.asked_at, now=shown.asked_at))
    return ResolvedQuestion(
        tenant=tenant,
        question=question,
        span=span,
        reference=asked_at if asked_at.tzinfo and question.zone is None else as_utc(asked_at).astimezone(zone),
        moments=resolve_as_of(valid_at=valid_at, as_of=question.as_of, now=shown.asked_at),
        key=key,
        shown=shown,
        uri_prefixes=prefixes,
    )


def held_at(asked_at: datetime | None, *, now: datetime) -> datetime | None:
    """Return the valid time of a question asked then: in March, it is about what held in March.

    A time without a zone may be a day, of which all counts.
    """
    if asked_at is None or asked_at.tzinfo is not None:
        return asked_at
    return min(as_utc(asked_at) + _ASKED_WITHIN, max(now, as_utc(asked_at)))


def fingerprint(tenant: str, question: Question) -> str:
    """Return a text that identifies a question on all its pages; independent of the cursor, `limit` and `evidence`."""
    same = replace(question, limit=0, evidence=0, filters=replace(question.filters, after=None))
    return repr((tenant, same))


def uri_prefixes(tenant: str, user_id: str, *, session_id: str | None = None) -> tuple[str, str]:
    """Return the URI prefixes of a user's memory: that of nodes and facts, and that of sessions (or one session)."""
    if session_id is None:
        return f"{user_uri(tenant, user_id)}/", session_uri(tenant, user_id, "")
    return f"{user_uri(tenant, user_id)}/", f"{session_uri(tenant, user_id, session_id)}/"
