"""What is taken out of what was found, and how much for which reason: scope, roles, kinds, too low a score. Pure.

Scope and filters act inside the indexes; here they are checked once more on what came back, by address.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from graph_service.memory.recall.candidates import Candidate
from graph_service.memory.recall.query import HitKind, Question
from graph_service.memory.recall.ranking import Ranked
from schema.ids import session_uri, user_uri

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """How many were taken out for one reason."""

    why: str
    count: int


def scope(tenant: str, user_id: str, *, session_id: str | None = None) -> tuple[str, str]:
    """Return how every address in a user's memory begins, and if it is of a conversation, in the one that is asked
    about.
    """
    said = session_uri(tenant, user_id, "") if session_id is None else f"{session_uri(tenant, user_id, session_id)}/"
    return f"{user_uri(tenant, user_id)}/", said


def checked(
    candidates: Sequence[Candidate], tenant: str, question: Question
) -> tuple[list[Candidate], tuple[Removed, ...]]:
    """Return the candidates that a question may be answered with, and what was taken out of the others."""
    inside = scope(tenant, question.user_id, session_id=question.narrowed.session_id)
    roles = {role.value for role in question.narrowed.roles}
    reasons: list[tuple[str, Callable[[Candidate], bool]]] = [
        ("outside the scope", lambda one: one.uri.startswith(inside)),
        ("another kind", lambda one: one.kind in question.kinds),
        (
            "another role",
            lambda one: not roles or one.kind is not HitKind.MESSAGE or one.role in roles,
        ),
    ]
    left, removed = list(candidates), []
    for why, keeps in reasons:
        left, taken = _kept(left, keeps)
        removed += [Removed(why=why, count=taken)] if taken else []
    return left, tuple(removed)


def above(ranked: Sequence[Ranked], score_min: float | None) -> tuple[list[Ranked], tuple[Removed, ...]]:
    """Return what scores at least so much."""
    if score_min is None:
        return list(ranked), ()
    left, taken = _kept(ranked, lambda one: one.score >= score_min)
    return left, (Removed(why=f"score below {score_min:g}", count=taken),) if taken else ()


def _kept(items: Iterable[T], keeps: Callable[[T], bool]) -> tuple[list[T], int]:
    everything = list(items)
    left = [one for one in everything if keeps(one)]
    return left, len(everything) - len(left)
