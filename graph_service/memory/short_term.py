"""The last turns of a session for whoever asks: from the window, and from the database what the window lacks."""

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.incoming import text_problem
from graph_service.memory.window import Heard, ShortTermWindow, Source, Talk, Turn, merged, shortened
from schema.errors import InputError, UnavailableError
from schema.ids import memory_id, session_uri
from schema.labels import Role
from schema.limits import LIMITS

TURNS_MAX = 200


async def last_turns(graph: Graph, window: ShortTermWindow, talk: Talk, *, turns: int) -> Heard:
    """The last turns of a talk, oldest first; a window that holds fewer is filled from the database.

    Raises:
        InputError: there cannot be such a talk, or not so many turns.
        UnavailableError: the window holds nothing and Neo4j does not answer.
    """
    _check(talk, turns)
    forgotten = window.forgotten
    heard = await window.turns(talk)
    if len(heard.turns) >= turns:
        return Heard(turns=heard.turns[-turns:], sources=heard.sources)
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
    return Heard(turns=merged(heard.turns, stored, turns_max=turns), sources=sources)


async def _stored(graph: Graph, talk: Talk, turns: int) -> list[Turn]:
    session = memory_id(session_uri(talk.tenant, talk.user_id, talk.session_id))
    wanted = {"tenant": talk.tenant, "session": session, "turns_max": turns}
    return [
        shortened(**row | {"role": Role(row["role"])}) for row in await graph.read(statement("read/last_turns"), wanted)
    ]


def _check(talk: Talk, turns: int) -> None:
    problems = []
    for name, text in (("userId", talk.user_id), ("sessionId", talk.session_id)):
        problem = text_problem(text, LIMITS.id_chars)
        problems += [f"{name} {problem}"] if problem else []
    if not 1 <= turns <= TURNS_MAX:
        problems.append(f"turns is {turns}; use 1 to {TURNS_MAX}")
    if problems:
        raise InputError("; ".join(problems), tuple(problems))
