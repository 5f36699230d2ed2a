"""Load the last turns of a session, and find the names in them that a follow-up question may refer to."""

import re
from collections.abc import Sequence
from typing import Final

from extraction.text.name_spotting import names_in
from extraction.text.sentences import split_sentences
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.argument_checks import check_ids, check_limit
from graph_service.memory.sessions.short_term_window import (
    RecentTurns,
    SessionKey,
    ShortTermWindow,
    Source,
    Turn,
    merged,
    shortened,
)
from schema.errors import UnavailableError
from schema.ids import memory_id, name_key, session_uri
from schema.labels import Role

TURNS_MAX = 200


async def last_turns(graph: Graph, window: ShortTermWindow, session: SessionKey, *, turns: int) -> RecentTurns:
    """Return the last turns of a session, oldest first; turns missing in the window are loaded and added to it.

    An incomplete window lacks what other processes received, so the database is asked each time.

    Raises:
        UnavailableError: the window is empty and Neo4j does not answer.
    """
    check_ids(userId=session.user_id, sessionId=session.session_id)
    check_limit(turns, TURNS_MAX, name="turns")
    forgotten = window.forgotten
    cached = await window.turns(session)
    if window.complete and len(cached.turns) >= turns:
        return RecentTurns(turns=cached.turns[-turns:], sources=cached.sources)
    try:
        stored = await _stored(graph, session, turns)
    except UnavailableError:
        if not cached.turns:
            raise
        return RecentTurns(turns=cached.turns[-turns:], sources=cached.sources)
    known = {turn.id for turn in cached.turns}
    missing = [turn for turn in stored if turn.id not in known]
    # Do not restore turns that were forgotten meanwhile; the next request fills the window.
    if missing and len(known) < window.turns_max and window.forgotten == forgotten:
        window.add(session, missing)
    sources = (*cached.sources, *([Source.DATABASE] if missing else []))
    return RecentTurns(turns=merged(cached.turns, stored, turns_max=turns), sources=sources)


async def _stored(graph: Graph, session: SessionKey, turns: int) -> list[Turn]:
    node_id = memory_id(session_uri(session.tenant, session.user_id, session.session_id))
    parameters = {"tenant": session.tenant, "session": node_id, "turns_max": turns}
    return [
        shortened(**row | {"role": Role(row["role"])})
        for row in await graph.read(statement("sessions/recent_turns"), parameters)
    ]


NAMES_MAX: Final = 3
# Maximum number of turns, and of characters of each, that are searched for names.
_TURNS_MAX, _CHARS_MAX = 6, 400
_PRONOUN = re.compile(
    r"\b(?:she|he|her|hers|his|him|they|them|their|theirs)\b|(?<![其吉])[他她]|那(?:个人|位)|这(?:个人|位)",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(
    r"^\s*(?:(?:and|so)\s+)?(?:what|how) about\b|^\s*那么?[^。！？!?]{0,10}呢[？?。]?\s*$", re.IGNORECASE
)


_JUST_NOW = re.compile(
    r"\b(?:just now|(?:a )?(?:moment|minute|while) ago|just (?:said|told|mentioned|talked|asked)|earlier in"
    r" (?:this|our) (?:chat|conversation|session))\b|刚才|刚刚|方才|刚说|刚提",
    re.IGNORECASE,
)


def says_just_now(text: str) -> bool:
    """Return whether a question is about the latest part of the conversation ("what did I just say", 刚才说的)."""
    return _JUST_NOW.search(text) is not None


def refers_back(text: str) -> bool:
    """Return whether a question refers to earlier turns, by a personal pronoun or an ellipsis ("what about …")."""
    return _PRONOUN.search(text) is not None or _ELLIPSIS.search(text) is not None


def recent_names(turns: Sequence[Turn], *, names_max: int = NAMES_MAX) -> tuple[str, ...]:
    """Return names in the last turns, latest first, without the names of the speakers.

    Call it in a thread, because the first Chinese text loads a dictionary, which takes about a second.
    """
    last = turns[-_TURNS_MAX:]
    speakers = [turn.speaker for turn in last if turn.speaker]
    found: dict[str, str] = {}
    for turn in reversed(last):
        for name, _ in reversed(names_in(split_sentences(turn.text[:_CHARS_MAX]), ignore=speakers)):
            found.setdefault(name_key(name), name)
    return tuple(found.values())[:names_max]


def hints_for(text: str, turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return the names that a follow-up question may refer to; none if it contains a name or is no follow-up."""
    if not refers_back(text) or names_in(split_sentences(text)):
        return ()
    return recent_names([turn for turn in turns if turn.text != text])
