"""The last turns of a session for whoever asks: from the window, and from the database what the window lacks."""

import re
from collections.abc import Sequence
from typing import Final

from extraction.text.name_spotting import names_in
from extraction.text.sentences import split_sentences
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.argument_checks import text_problem
from graph_service.memory.sessions.short_term_window import (
    RecentTurns,
    SessionKey,
    ShortTermWindow,
    Source,
    Turn,
    merged,
    shortened,
)
from schema.errors import InputError, UnavailableError
from schema.ids import memory_id, name_key, session_uri
from schema.labels import Role
from schema.limits import LIMITS

TURNS_MAX = 200


async def last_turns(graph: Graph, window: ShortTermWindow, talk: SessionKey, *, turns: int) -> RecentTurns:
    """Return the last turns of a talk, oldest first; a window that holds fewer is filled from the database.

    Raises:
        InputError: there cannot be such a talk, or not so many turns.
        UnavailableError: the window holds nothing and Neo4j does not answer.
    """
    _check(talk, turns)
    forgotten = window.forgotten
    heard = await window.turns(talk)
    if len(heard.turns) >= turns:
        return RecentTurns(turns=heard.turns[-turns:], sources=heard.sources)
    try:
        stored = await _stored(graph, talk, turns)
    except UnavailableError:
        if not heard.turns:
            raise
        return heard
    known = {turn.id for turn in heard.turns}
    missing = [turn for turn in stored if turn.id not in known]
    # What was forgotten since must not come back; the next question fills the window.
    if missing and len(known) < window.turns_max and window.forgotten == forgotten:
        window.hear(talk, missing)
    sources = (*heard.sources, *([Source.DATABASE] if missing else []))
    return RecentTurns(turns=merged(heard.turns, stored, turns_max=turns), sources=sources)


async def _stored(graph: Graph, talk: SessionKey, turns: int) -> list[Turn]:
    session = memory_id(session_uri(talk.tenant, talk.user_id, talk.session_id))
    wanted = {"tenant": talk.tenant, "session": session, "turns_max": turns}
    return [
        shortened(**row | {"role": Role(row["role"])})
        for row in await graph.read(statement("sessions/recent_turns"), wanted)
    ]


def _check(talk: SessionKey, turns: int) -> None:
    problems = []
    for name, text in (("userId", talk.user_id), ("sessionId", talk.session_id)):
        problem = text_problem(text, LIMITS.id_chars)
        problems += [f"{name} {problem}"] if problem else []
    if not 1 <= turns <= TURNS_MAX:
        problems.append(f"turns is {turns}; use 1 to {TURNS_MAX}")
    if problems:
        raise InputError("; ".join(problems), tuple(problems))


# Who a question means that says only "she" or "what about him": the names said last. Pure.

NAMES_MAX: Final = 3
# Whoever was named longer ago is seldom meant; and only the beginning of a long turn is looked at.
_TURNS_MAX, _CHARS_MAX = 6, 400
_PRONOUN = re.compile(
    r"\b(?:she|he|her|hers|his|him|they|them|their|theirs)\b|(?<![其吉])[他她]|那(?:个人|位)|这(?:个人|位)",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(
    r"^\s*(?:(?:and|so)\s+)?(?:what|how) about\b|^\s*那么?[^。！？!?]{0,10}呢[？?。]?\s*$", re.IGNORECASE
)


def refers_back(text: str) -> bool:
    """Return whether a question leans on what was said before: it has a pronoun for people or leaves its verb out."""
    return _PRONOUN.search(text) is not None or _ELLIPSIS.search(text) is not None


def recent_names(turns: Sequence[Turn], *, names_max: int = NAMES_MAX) -> tuple[str, ...]:
    """Return names said in the last turns, those said last first; without the speakers' own.

    The first Chinese text makes it load a dictionary, for about a second: call it away from the event loop.
    """
    last = turns[-_TURNS_MAX:]
    speakers = [turn.speaker for turn in last if turn.speaker]
    found: dict[str, str] = {}
    for turn in reversed(last):
        for name, _ in reversed(names_in(split_sentences(turn.text[:_CHARS_MAX]), ignore=speakers)):
            found.setdefault(name_key(name), name)
    return tuple(found.values())[:names_max]


def hints_for(text: str, turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return the names a question may mean; none when it names somebody itself or leans on nothing."""
    if not refers_back(text) or names_in(split_sentences(text)):
        return ()
    return recent_names([turn for turn in turns if turn.text != text])
