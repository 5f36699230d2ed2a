"""A question to a memory, its filters, and their validation. Pure."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from graph_service.memory.argument_checks import text_problem
from schema.errors import InputError
from schema.ids import memory_id, name_key, session_uri
from schema.labels import Role
from schema.limits import LIMITS, Limits
from schema.timespan import Timespan, as_utc, iso
from schema.zones import zone_named


class Mode(StrEnum):
    """Mode of ranking."""

    BEST = "best"
    LAYERED = "layered"
    SIMILARITY_IMPORTANCE = "similarity_importance"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryFilters:
    """Filters on the answer to a question; all must match.

    Attributes:
        session_id: only messages and scenes of this session, and facts with evidence in it.
        agent_id: only sessions with this agent.
        roles: only messages of these roles.
        entities: only elements that mention one of these entities.
        score_min: only hits with at least this score.
        after: cursor of the previous page of the answer.
    """

    session_id: str | None = None
    agent_id: str | None = None
    roles: tuple[Role, ...] = ()
    entities: tuple[str, ...] = ()
    score_min: float | None = None
    after: str | None = None

    @property
    def by_element(self) -> bool:
        """True if a filter applies after the index search, so that the indexes must return more."""
        return bool(self.agent_id or self.roles or self.entities or self.session_id)

    def parameters(self, tenant: str, user_id: str) -> dict[str, Any]:
        """Return the parameters of the statement `recall/recall`; null means no filter."""
        session = None if self.session_id is None else memory_id(session_uri(tenant, user_id, self.session_id))
        return {
            "session": session,
            "agent": self.agent_id,
            "roles": [role.value for role in self.roles] or None,
            "entity_filter": sorted({name_key(name) for name in self.entities}) or None,
        }

    def problems(self, limits: Limits) -> list[str]:
        """Return the problems in words."""
        texts: Mapping[str, tuple[str, int]] = {
            **({} if self.session_id is None else {"inSession": (self.session_id, limits.id_chars)}),
            **({} if self.agent_id is None else {"agentId": (self.agent_id, limits.id_chars)}),
            **{f"entities[{at}]": (name, limits.name_chars) for at, name in enumerate(self.entities)},
        }
        found = [f"{name} {problem}" for name, (text, most) in texts.items() if (problem := text_problem(text, most))]
        if len(self.entities) > limits.results:
            found.append(f"entities names {len(self.entities)}; name at most {limits.results}")
        return found


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
        start, end: only elements said at or after `start` and before `end`.
        valid_at: valid time: only facts that were valid then; None means at `as_of`, or now.
        as_of: transaction time: only facts that were known then; None means all facts.
        asked_at: time to which words such as "yesterday" refer; None means now.
        zone: time zone of such words, an IANA name or `+08:00`; None means that of `asked_at`.
        evidence: maximum number of evidence messages returned with each fact and scene, 0-20.
        session_id: session in which the question is asked; "she" refers to names in its last messages.
        mode: mode of ranking; None means the default of the settings.
        narrowed: filters.
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
    """Return the time between `start` and `end`, after validating the question.

    Raises:
        InputError: lists all problems.
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
    """Return the time of the question, in the time zone of words such as "today"."""
    asked_at = question.asked_at or now
    if question.zone is not None:
        return as_utc(asked_at).astimezone(zone_named(question.zone))
    return asked_at if asked_at.tzinfo is not None else as_utc(asked_at)


def fingerprint(tenant: str, question: Question) -> str:
    """Return a hash that identifies a question on all its pages; independent of the numbers of hits and evidence."""
    fields = asdict(question)
    fields["narrowed"] = {name: value for name, value in fields["narrowed"].items() if name != "after"}
    return repr((tenant, sorted((name, value) for name, value in fields.items() if name not in ("limit", "evidence"))))
