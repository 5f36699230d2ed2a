"""`LayerTexts`: the texts of scenes, sessions and messages by URI and level, made when they are missing."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Any, Final

from extraction.bounded_threads import BoundedThreads
from extraction.extractive_summary import token_count
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.argument_checks import check_ids
from graph_service.memory.list_cursors import ListName, decode_cursor, encode_cursor
from graph_service.memory.sessions.lifecycle import session_node_id
from graph_service.memory.summaries.session_summary import scenes_key, update_session_summary
from schema.errors import InputError, MnemographError, NotFoundError
from schema.ids import SessionId, TenantId, UserId, memory_id

_log = logging.getLogger("mnemograph.layers")

_LINES_MAX: Final = 1_000
# Of messages in one answer, word for word; one message alone has at most half as many.
SAID_CHARS_MAX: Final = 200_000
# Counting the tokens of so much text takes about 2 ms; more is counted away from the event loop.
_COUNTED_HERE_CHARS: Final = 20_000
_COUNTING: Final = BoundedThreads(threads_max=2, cpu_max_s=10.0)
_PAGE: Final = 200

# Brings the texts of all scenes of a session (node id) up to date.
Refresh = Callable[[TenantId, str], Awaitable[None]]


class Level(StrEnum):
    """How much is told: L0 about 100 tokens, L1 an overview of at most 2,000, L2 everything that was said."""

    L0 = "L0"
    L1 = "L1"
    L2 = "L2"


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerText:
    """One layer of one memory.

    Attributes:
        uri: with the level as its fragment.
        made_by: `extractive`, `caller`, the model's name, or `said` for words as they were said.
        tokens: about how many a model counts.
        after: brings what was said behind this text; None when it tells all.
    """

    uri: str
    level: Level
    title: str | None
    text: str
    made_by: str
    tokens: int
    after: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LayersReport:
    """What asking for layers did: of how many sessions the texts were made, held already, or could not be made."""

    sessions: int
    made: int
    kept: int
    failed: int


class LayerTexts:
    """Layer texts of all tenants.

    Args:
        refresh: None: texts are told as they are stored.
        clock: aware UTC now.
    """

    def __init__(self, graph: Graph, *, refresh: Refresh | None, clock: Callable[[], datetime]) -> None:
        self._graph = graph
        self._refresh = refresh
        self._clock = clock

    async def layer(
        self, tenant: TenantId, uri: str, level: Level | None = None, *, after: str | None = None
    ) -> LayerText:
        """Return one layer; a missing one is made and stored first.

        L2 tells at most 1,000 messages and 200,000 characters of them; where it is cut, its last line says so.

        Args:
            uri: of a scene, a session or a message, with or without `#L0`, `#L1`, `#L2`.
            level: None: the one that the URI names, L1 if it names none.
            after: of the text before; only what was said behind it.

        Raises:
            InputError: there is no such level, or such a cursor.
            NotFoundError: the tenant has nothing of that name.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(uri=uri)
        base, _, named = uri.partition("#")
        if named and named not in tuple(Level):
            raise InputError(f"the URI names layer {named!r}; use {', '.join(Level)}")
        wanted = level or Level(named or Level.L1)
        behind = decode_cursor(ListName.LINES, after)
        node_id = memory_id(base)
        row = await self._row(tenant, node_id)
        if row is None:
            raise NotFoundError(f"there is no scene, session or message {base!r}; `recall` and `sessions` tell URIs")
        if after is not None and (wanted is not Level.L2 or row["kind"] == "message"):
            raise InputError("after goes with level L2 of a scene or session; every other text comes whole")
        if wanted is not Level.L2 and row["kind"] != "message":
            await self._bring_up(tenant, row)
            row = await self._row(tenant, node_id) or row
        return await self._told(tenant, base, node_id, wanted, row, behind)

    async def generate(self, tenant: TenantId, *, user_id: str | None, session_id: str | None) -> LayersReport:
        """Make the missing texts of one session, of a user's, or of all; what did not change costs nothing.

        Raises:
            InputError: an id cannot be used, or a session is named without its user.
            NotFoundError: this user has no such session.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(**{name: value for name, value in (("userId", user_id), ("sessionId", session_id)) if value})
        session = None
        if session_id is not None:
            if user_id is None:
                raise InputError("sessionId needs userId; session ids belong to a user")
            session = session_node_id(tenant, UserId(user_id), SessionId(session_id))
        made = kept = failed = 0
        async for row in self._sessions(tenant, user_id, session):
            if not row["behind"] and row["layers_hash"] == scenes_key(row["scene_hashes"]):
                kept += 1
            elif await self._tell(tenant, row["session"], behind=bool(row["behind"])):
                made += 1
            else:
                failed += 1
        if session is not None and not made + kept + failed:
            raise NotFoundError(f"user {user_id!r} has no session {session_id!r}; `sessions` lists those there are")
        return LayersReport(sessions=made + kept + failed, made=made, kept=kept, failed=failed)

    async def _sessions(self, tenant: TenantId, user_id: str | None, session: str | None) -> Any:
        after = ""
        while True:
            parameters = {
                "tenant": tenant,
                "user_id": user_id,
                "session": session,
                "after": after,
                "rows_max": _PAGE,
            }
            rows = await self._graph.read(statement("summaries/stale_sessions"), parameters)
            for row in rows:
                yield row
            if len(rows) < _PAGE:
                return
            after = rows[-1]["session"]

    async def _row(self, tenant: TenantId, node_id: str) -> Mapping[str, Any] | None:
        rows = await self._graph.read(statement("summaries/summary_by_id"), {"tenant": tenant, "id": node_id})
        return rows[0] if rows else None

    async def _bring_up(self, tenant: TenantId, row: Mapping[str, Any]) -> None:
        """Make what is missing; if that fails, the stored texts must do."""
        if row["kind"] == "scene":
            if row["texts"]["behind"]:
                await self._tell(tenant, row["session"], behind=True)
            return
        asked = {"tenant": tenant, "user_id": None, "session": row["session"], "after": "", "rows_max": 1}
        for found in await self._graph.read(statement("summaries/stale_sessions"), asked):
            await self._tell(tenant, found["session"], behind=bool(found["behind"]))

    async def _tell(self, tenant: TenantId, session: str, *, behind: bool) -> bool:
        try:
            if behind and self._refresh is not None:
                await self._refresh(tenant, session)
            await update_session_summary(self._graph, tenant, session, now=self._clock())
        except MnemographError as error:
            _log.warning("texts of a session were not made: %s", error, extra={"tenant": tenant})
            return False
        return True

    async def _told(
        self, tenant: TenantId, uri: str, node_id: str, level: Level, row: Mapping[str, Any], behind: tuple[Any, ...]
    ) -> LayerText:
        texts, after = row["texts"], None
        text, made_by = texts["overview"] or "", texts["overview_by"] or "extractive"
        if level is Level.L0:
            text, made_by = texts["abstract"] or "", texts["layers_by"] or "extractive"
        elif level is Level.L2:
            text, made_by = texts["text"], "said"
            if not text:
                text, after = await self._said(tenant, row, node_id, behind)
        return LayerText(
            uri=f"{uri}#{level}",
            level=level,
            title=texts["name"],
            text=text,
            made_by=made_by,
            tokens=await _tokens(text),
            after=after,
        )

    async def _said(
        self, tenant: TenantId, row: Mapping[str, Any], node_id: str, behind: tuple[Any, ...]
    ) -> tuple[str, str | None]:
        """Return what was said behind a place, word for word, and the cursor for what does not fit."""
        said_ms, position, last = behind
        parameters = {
            "tenant": tenant,
            "session": row["session"],
            "scene": node_id if row["kind"] == "scene" else None,
            "said_ms": said_ms,
            "position": position,
            "after": last,
            "rows_max": _LINES_MAX,
            "chars_max": SAID_CHARS_MAX,
        }
        lines = await self._graph.read(statement("summaries/source_lines"), parameters)
        told = [
            f"[{line['said_at']:%Y-%m-%d %H:%M}] {line['speaker'] or line['role']}: {line['text']}" for line in lines
        ]
        if not lines or not lines[-1]["more"]:
            return "\n".join(told), None
        after = encode_cursor(ListName.LINES, *lines[-1]["key"])
        told.append(f'[cut here, more was said: ask for this text again with after "{after}"]')
        return "\n".join(told), after


async def _tokens(text: str) -> int:
    if len(text) <= _COUNTED_HERE_CHARS:
        return token_count(text)
    return await _COUNTING.run(partial(token_count, text))
