"""`Forgetting`: everything that was said or learned can be forgotten, with all that follows from it."""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.argument_checks import check_ids
from graph_service.memory.consolidation.segmentation import SceneRules
from graph_service.memory.entity_resolution.merge_writer import part
from graph_service.memory.entity_resolution.projection_writer import members_of
from graph_service.memory.forgetting.commit import ForgetWish, Forgotten, forget
from graph_service.memory.forgetting.facts_and_entities import Learned, find_entity, find_fact, forget_own_names
from graph_service.memory.forgetting.impact import Reach, ends_of, reach_of
from graph_service.memory.forgetting.user import begin, forget_user
from graph_service.memory.ingest.spool import Spool
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import JobClaim, JobKind
from graph_service.memory.jobs.run_now import run_session_jobs
from graph_service.memory.sessions.lifecycle import session_node_id
from graph_service.memory.sessions.short_term_window import ShortTermWindow
from graph_service.memory.tombstones import TombstoneKind, ensure_tombstone_key, tombstone_id
from schema.change import FORGOTTEN, Change
from schema.errors import NotFoundError
from schema.ids import SessionId, TenantId, UserId, memory_id, user_uri
from schema.timespan import millis


class Forgetting:
    """What can be forgotten, of all tenants.

    What waits on disk and what is at hand goes first, then one commit takes everything from the graph. A caller who got
    no answer asks again. Messages that were forgotten and are told anew are stored anew; those that still waited
    somewhere when they were forgotten do not come back.

    Args:
        clock: aware UTC now.
        notify: called with the tenant after each commit.
        on_forgotten: called with the tenant; drops what this process keeps of it.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        window: ShortTermWindow,
        spool: Spool | None,
        clock: Callable[[], datetime],
        notify: Callable[[str], None],
        on_forgotten: Callable[[str], None],
        rules: SceneRules | None = None,
    ) -> None:
        self._graph = graph
        self._window = window
        self._spool = spool
        self._clock = clock
        self._notify = notify
        self._on_forgotten = on_forgotten
        self._pause_ms = round((rules or SceneRules()).pause_s * 1000)

    async def message(self, tenant: TenantId, message_id: str) -> Forgotten:
        """Forget one message; the scene that held it is cut again from what is left.

        Args:
            message_id: its id, or its URI.

        Raises:
            InputError: there cannot be such an id.
            NotFoundError: the tenant has no such message; perhaps it was forgotten before.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(messageId=message_id)
        name = _id_of(message_id)
        rows = await self._graph.read(statement("forgetting/messages_to_forget"), _these(tenant, ids=[name]))
        spooled = 0 if self._spool is None else await self._spool.forget(tenant, message_ids=[name])
        if not rows:
            return _only_spooled(spooled, f"there is no message {message_id!r}; perhaps it was forgotten before")
        return await self._forget(tenant, _these(tenant, ids=[name]), rows, (TombstoneKind.MESSAGE, [name]), spooled)

    async def scene(self, tenant: TenantId, scene_id: str) -> Forgotten:
        """Forget a scene and everything that was said in it.

        Args:
            scene_id: its id, or its URI.

        Raises:
            InputError: there cannot be such an id.
            NotFoundError: the tenant has no such scene; perhaps it was forgotten before, or cut again.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(sceneId=scene_id)
        which = _these(tenant, scene=_id_of(scene_id))
        rows = await self._graph.read(statement("forgetting/messages_to_forget"), which)
        if not rows:
            raise NotFoundError(f"there is no scene {scene_id!r}; perhaps it was forgotten before")
        ids = [row["id"] for row in rows]
        which = _these(tenant, ids=ids)
        return await self._forget(tenant, which, rows, (TombstoneKind.MESSAGE, ids), spooled=0)

    async def session(self, tenant: TenantId, user_id: str, session_id: str) -> Forgotten:
        """Forget a session of a user: everything that was said in it, and the session itself.

        Raises:
            InputError: there cannot be such an id.
            NotFoundError: this user has none of that name; perhaps it was forgotten before.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(userId=user_id, sessionId=session_id)
        node_id = session_node_id(tenant, UserId(user_id), SessionId(session_id))
        which = _these(tenant, session=node_id)
        rows = await self._graph.read(statement("forgetting/messages_to_forget"), which)
        spooled = 0
        if self._spool is not None:
            spooled = await self._spool.forget(tenant, user_id=user_id, session_id=session_id)
        if not rows:
            why = f"user {user_id!r} has no session {session_id!r}; perhaps it was forgotten before"
            return _only_spooled(spooled, why)
        return await self._forget(tenant, which, rows, (TombstoneKind.SESSION, [node_id]), spooled)

    async def user(self, tenant: TenantId, user_id: str) -> Forgotten:
        """Forget a user: everything they said, their sessions, and everything that was learned.

        What they say while it goes on waits, on disk or with the caller. A process that dies leaves the rest to the
        next one; then this may be called again as well.

        Raises:
            InputError: there cannot be such an id.
            NotFoundError: the tenant has no such user; perhaps they were forgotten before.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(userId=user_id)
        whose, node_id = UserId(user_id), memory_id(user_uri(tenant, user_id))
        parameters = {"tenant": tenant, "user_id": user_id, "user_node_id": node_id}
        totals = (await self._graph.read(statement("forgetting/user_totals"), parameters))[0]
        spooled = 0 if self._spool is None else await self._spool.forget(tenant, user_id=user_id)
        if not any(totals.values()):
            return _only_spooled(spooled, f"there is no user {user_id!r}; perhaps they were forgotten before")
        await self._window.forget(tenant, whose)
        salt = (await ensure_tombstone_key(self._graph, tenant, secrets.token_hex(16))).salt
        at_ms = millis(self._clock())
        fence = {
            "id": tombstone_id(salt, TombstoneKind.USER, node_id),
            "kind": TombstoneKind.USER.value,
            "user_node_id": None,
            "at_ms": at_ms,
        }
        await begin(self._graph, tenant, whose, node_id, fence, now_ms=at_ms)
        job_context = JobContext(
            clock=self._clock,
            random_token=lambda: secrets.token_hex(8),
            on_step=lambda _step: None,
            on_change=self._notify,
        )

        async def doing(held: JobClaim) -> bool:
            return await forget_user(self._graph, held, job_context)

        await run_session_jobs(self._graph, doing, tenant, node_id, JobKind.FORGET, job_context, even_if_done=False)
        self._on_forgotten(tenant)
        await self._window.forget(tenant, whose)
        self._notify(tenant)
        counts = {name: totals[name] for name in ("messages", "scenes", "facts", "entities")}
        return Forgotten(**counts, spooled=spooled)

    async def fact(self, tenant: TenantId, fact_id: str) -> Forgotten:
        """Reject a fact: it goes, what it had closed is open again, and the same is not learned again.

        What was said stays. Only a keyed hash is remembered of what was rejected.

        Raises:
            InputError: there cannot be such an id.
            NotFoundError: the tenant has no such fact; perhaps it was forgotten before.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(factId=fact_id)
        return await self._unlearn(tenant, lambda writing: find_fact(writing, tenant, fact_id))

    async def entity(self, tenant: TenantId, entity_id: str) -> Forgotten:
        """Forget an entity with its facts; what was said until now stays, and do not name it again.

        Raises:
            InputError: there cannot be such an id.
            NotFoundError: the tenant has no such entity; perhaps it was forgotten before.
            UnavailableError: Neo4j does not answer.
        """
        check_ids(entityId=entity_id)
        return await self._unlearn(tenant, lambda writing: find_entity(writing, tenant, entity_id))

    async def _unlearn(self, tenant: TenantId, find: Callable[[Writing], Awaitable[Learned]]) -> Forgotten:
        key, at = await ensure_tombstone_key(self._graph, tenant, secrets.token_hex(16)), self._clock()

        async def steps(writing: Writing) -> Forgotten:
            wish = ForgetWish(tenant=tenant, user_id=(await find(writing)).user_id, at=at)
            await _lock(writing, wish, [])
            # Found again: only now nobody else can change it.
            learned = await find(writing)
            wish = replace(wish, tombstones=learned.tombstones(tenant, key, millis(at)))
            return await self._commit(writing, wish, [], learned)

        done = await self._graph.write(steps)
        self._notify(tenant)
        return done

    async def _forget(
        self,
        tenant: TenantId,
        which: dict[str, Any],
        rows: Sequence[Row],
        marked: tuple[TombstoneKind, list[str]],
        spooled: int,
    ) -> Forgotten:
        user_id, at = UserId(rows[0]["user_id"]), self._clock()
        salt = (await ensure_tombstone_key(self._graph, tenant, secrets.token_hex(16))).salt
        kind, ids = marked
        tombstones = [
            {"id": tombstone_id(salt, kind, name), "kind": kind.value, "user_node_id": None, "at_ms": millis(at)}
            for name in ids
        ]
        wish = ForgetWish(tenant=tenant, user_id=user_id, at=at, tombstones=tombstones)
        await self._forget_at_hand(tenant, user_id, rows)

        async def steps(writing: Writing) -> Forgotten:
            sessions = sorted({row["session"] for row in rows})
            await _lock(writing, wish, sessions)
            # Read again: only now nobody else can change it.
            messages = await writing.run(statement("forgetting/messages_to_forget"), which)
            return await self._commit(writing, wish, messages)

        done = await self._graph.write(steps)
        # Somebody may have asked between the two.
        await self._forget_at_hand(tenant, user_id, rows)
        self._notify(tenant)
        return replace(done, spooled=spooled)

    async def _commit(
        self, writing: Writing, wish: ForgetWish, messages: Sequence[Row], learned: Learned | None = None
    ) -> Forgotten:
        async def reached() -> Reach:
            reach = await reach_of(
                writing,
                wish.tenant,
                wish.user_id,
                messages,
                pause_ms=self._pause_ms,
                stripped={*renamed, *(learned.scenes if learned else ())},
                gone=learned.entities if learned else (),
            )
            if learned is not None:
                about = {name for name, row in reach.facts.items() if learned.entities & {*ends_of(row)}}
                reach.rejected |= learned.facts | about
            return reach

        if not messages and learned is None:
            return Forgotten()
        names = learned.names if learned else ()
        renamed = await forget_own_names(writing, wish.tenant, wish.user_id, messages, names)
        reach = await reached()
        merged = [row["id"] for row, fate in reach.fates if row["is_held"] and fate.properties is None]
        parted: list[Change] = []
        for name in merged:
            parted += await _take_apart(writing, wish.tenant, name, at=wish.at)
        if merged:
            reach = await reached()
        return await forget(writing, wish, reach, parted)

    async def _forget_at_hand(self, tenant: TenantId, user_id: UserId, rows: Sequence[Row]) -> None:
        """Take messages from the short-term window, and what else this process keeps of them."""
        self._on_forgotten(tenant)
        for session in sorted({row["session_id"] for row in rows}):
            ids = [row["id"] for row in rows if row["session_id"] == session]
            await self._window.forget(tenant, user_id, session_id=SessionId(session), message_ids=ids)


async def _lock(writing: Writing, wish: ForgetWish, sessions: Sequence[str]) -> None:
    user = memory_id(user_uri(wish.tenant, wish.user_id))
    await writing.run(statement("locks/lock_memory"), {"tenant": wish.tenant, "user_node_id": user})
    parameters = {"tenant": wish.tenant, "sessions": list(sessions), "now_ms": millis(wish.at)}
    await writing.run(statement("locks/lock_sessions"), parameters)


async def _take_apart(writing: Writing, tenant: TenantId, name: str, *, at: datetime) -> list[Change]:
    """Take back every merge of an entity, so that it can go alone."""
    ends = await writing.run(statement("lookup/resolve_ids"), {"tenant": tenant, "ids": [name]})
    root = ends[0]["root_id"] if ends else None
    if root is None:
        return []
    changes = [] if root == name else await part(writing, tenant, name, root, FORGOTTEN, at=at)
    for one in (await members_of(writing, tenant, [name])).of.get(name, ()):
        if one.get("parent_id") == name:
            changes += await part(writing, tenant, one["id"], name, FORGOTTEN, at=at)
    return changes


def _these(
    tenant: TenantId, *, ids: Sequence[str] = (), session: str | None = None, scene: str | None = None
) -> dict[str, Any]:
    """Return the parameters of `forgetting/messages_to_forget`."""
    return {"tenant": tenant, "ids": list(ids), "session": session, "scene": scene}


def _id_of(name: str) -> str:
    return memory_id(name) if name.startswith("memory://") else name


def _only_spooled(spooled: int, why: str) -> Forgotten:
    if not spooled:
        raise NotFoundError(why)
    return Forgotten(spooled=spooled)
