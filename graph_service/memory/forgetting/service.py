"""Forget messages, scenes, sessions, users, facts and entities, with everything derived from them.

Or write a message anew with its id, time and place, in a transaction that forgets what its former text told.
"""

import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, Final
from uuid import uuid4

from graph_service.graph.rows import from_row
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.argument_checks import check_ids, expiry_of, raise_problems
from graph_service.memory.forgetting.commit import (
    ForgetResult,
    ForgettingWriter,
    Impact,
)
from graph_service.memory.forgetting.feed import RecentQuestions, record_forgetting
from graph_service.memory.forgetting.targets import ForgetTarget, find_entity, find_fact, joined, with_corrections
from graph_service.memory.forgetting.user import begin_user_erasure
from graph_service.memory.ingest.episode_writer import message_row
from graph_service.memory.ingest.spool import Spool
from graph_service.memory.ingest.validation import (
    expiry_problems,
    json_text,
    message_importance,
    message_text_problems,
    payload_problems,
    split_message,
)
from graph_service.memory.messages.log import MessageFilter, MessageLog, find_message
from graph_service.memory.sessions.lifecycle import session_node_id
from graph_service.memory.sessions.short_term_window import SessionKey, ShortTermWindow, shortened
from graph_service.memory.tags import message_tokens, normalized_tags, tag_problems
from graph_service.memory.tombstones import TombstoneKind, ensure_tombstone_key, tombstone_id
from schema.change import Change
from schema.errors import ConflictError, InputError, NotFoundError, UnavailableError
from schema.filters import EVERYTHING
from schema.ids import MemoryId, SessionId, TenantId, UserId, content_hash, memory_id, to_element_id, user_uri
from schema.labels import Role
from schema.message import Episode, Message
from schema.timespan import iso, millis, moment_of

_KEPT: Final = ("id", "uri", "said_at", "position", "speaker", "zone", "external_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """The new content of a message; None keeps what is stored.

    Attributes:
        metadata: all properties; the stored ones are not merged in.
        expires_at: when it expires; excludes `ttl_s`, the seconds until then.
        never_expires: remove the expiry; excludes both.
        if_version: refuse unless this is the stored version.
    """

    text: str | None = None
    metadata: object = None
    raw: object = None
    tags: tuple[str, ...] | None = None
    expires_at: datetime | None = None
    ttl_s: float | None = None
    never_expires: bool = False
    if_version: int | None = None

    def expires_ms(self, stored: Mapping[str, Any], *, at: datetime) -> int | None:
        """Return when the message expires, in milliseconds since 1970; None for never."""
        if self.never_expires:
            return None
        expires_at = expiry_of(self.expires_at, self.ttl_s, now=at)
        return stored.get("expires_ms") if expires_at is None else millis(expires_at)


def check_replacement(new: Replacement, *, now: datetime) -> None:
    """Raise for content that cannot be stored.

    Raises:
        InputError: lists all problems.
    """
    problems = payload_problems("message", new.metadata, new.raw)
    if new.text is not None and new.text != "":
        problems += message_text_problems("message", new.text, new.raw)
    problems += [f"message{problem}" for problem in tag_problems(new.tags or ())]
    problems += expiry_problems("message", new.expires_at, new.ttl_s, now)
    if new.never_expires and (new.expires_at, new.ttl_s) != (None, None):
        problems.append("message: neverExpires excludes expiresAt and ttlS; give one")
    raise_problems(problems, before="nothing was stored: ")


def rewritten(
    stored: Mapping[str, Any], texts: Sequence[str], session_id: str, new: Replacement, *, at: datetime
) -> list[dict[str, Any]]:
    """Return the properties of the parts of a message with a new text. Pure.

    What was read from the former text is left out: its emotion and the time it mentions.

    Args:
        stored: properties of the first part.
        texts: former texts of all parts.
        session_id: the caller's id of the session.

    Raises:
        InputError: neither text nor payload would be left.
    """
    text, former = new.text or "", "".join(texts)
    raw = stored.get("raw") if new.raw is None else json_text(new.raw)
    if not text and raw is None:
        raise InputError("message.text is empty, and the message has no raw payload; forget the message instead")
    role, speaker, said_at = stored["role"], stored.get("speaker"), stored["said_at"]
    # The hash includes the time only if the caller gave one.
    stamp = iso(said_at) or ""
    if content_hash(role, speaker or "", stamp, texts[0]) != stored["content_hash"]:
        stamp = ""
    importance = stored.get("importance")
    if importance == message_importance(None, former):
        importance = None
    metadata = stored.get("metadata") if new.metadata is None else json_text(new.metadata or None)
    expires_ms = new.expires_ms(stored, at=at)
    whole = from_row(
        Message,
        {name: stored.get(name) for name in _KEPT},
        role=Role(role),
        text=text,
        content_hash=content_hash(role, speaker or "", stamp, text),
        importance=message_importance(importance, text),
        tags=tuple(stored.get("tags") or ()) if new.tags is None else normalized_tags(new.tags),
        raw=raw,
        metadata=metadata,
        extract=bool(text) and not stored.get("never_read"),
        expires_at=None if expires_ms is None else moment_of(expires_ms),
    )
    episode = Episode(
        tenant=TenantId(stored["tenant"]),
        user_id=UserId(stored["user_id"]),
        session_id=SessionId(session_id),
        messages=(whole,),
        received_at=at,
        agent_id=stored.get("agent_id"),
    )
    kept = {
        "created_at": stored.get("created_at") or stored["received_at"],
        "updated_at": at,
        "version": (stored.get("version") or 1) + 1,
    }
    return [message_row(episode, part)["properties"] | kept for part in split_message(whole, stamp)]


async def set_details(
    writing: Writing, stored: Mapping[str, Any], ids: Sequence[str], new: Replacement, *, at: datetime
) -> None:
    """Replace metadata, payload, tags or expiry of a message, from which nothing is read.

    Args:
        stored: properties of the first part; ids: of all parts, the first one first.
    """
    properties: dict[str, Any] = {"expires_ms": new.expires_ms(stored, at=at)}
    if new.metadata is not None:
        properties["metadata"] = json_text(new.metadata or None)
    if new.tags is not None:
        tags = normalized_tags(new.tags)
        properties["tags"] = list(tags) or None
    current = dict(stored) | properties
    tokens = message_tokens(stored["tenant"], stored["user_id"], current.get("tags") or (), current.get("metadata"))
    properties["tag_tokens"] = tokens or None
    own = {"updated_at": at, "version": (stored.get("version") or 1) + 1}
    if new.raw is not None:
        own |= {"raw": (raw := json_text(new.raw)), "raw_hash": content_hash(raw or "")}
    rows = [{"id": name, "properties": properties | (own if place == 0 else {})} for place, name in enumerate(ids)]
    rows.sort(key=lambda row: str(row["id"]))
    await writing.run(statement("messages/set_details"), {"tenant": stored["tenant"], "rows": rows})


MESSAGES_PER_COMMIT: Final = 1_000
_TURN: Final = ("id", "speaker", "text", "said_at", "position")


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgetting:
    """Forget memories of any tenant.

    Spooled and cached copies are deleted first, then one transaction deletes from the graph. A failed call can be
    repeated. Tombstones prevent copies queued elsewhere from being stored; a message sent again is stored again.

    Args:
        erase_user: runs the job that deletes a user (node id), or waits while another process does.
        notify: called with the tenant after each commit.
        on_forgotten: called with the tenant, to drop this process's caches of it.
        questions: those that found something forgotten are dropped from it.
    """

    graph: Graph
    window: ShortTermWindow
    spool: Spool
    clock: Callable[[], datetime]
    erase_user: Callable[[TenantId, str], Awaitable[None]]
    notify: Callable[[str], None]
    on_forgotten: Callable[[str], None]
    questions: RecentQuestions

    async def message(self, tenant: TenantId, message_id: str) -> ForgetResult:
        """Forget one message; its scene is segmented again from the remaining messages.

        Args:
            message_id: its id, or its URI.

        Raises:
            NotFoundError: the tenant has no such message; perhaps it was forgotten before.
        """
        check_ids(messageId=message_id)
        name = to_element_id(message_id)
        selection, target = message_selection(tenant, ids=[name]), (TombstoneKind.MESSAGE, [name])
        missing = f"there is no message {message_id!r}; perhaps it was forgotten before"
        return await self._forget_everywhere(tenant, selection, target, missing, message_ids=[name])

    async def matching(
        self, tenant: TenantId, wanted: MessageFilter, *, before: datetime | None, dry_run: bool
    ) -> ForgetResult:
        """Forget the messages that pass a filter, up to 1,000 in each commit; a failed call can be repeated.

        Args:
            wanted: names a user.
            before: only messages said before this time.
            dry_run: only count the messages.

        Raises:
            UnavailableError: Neo4j does not answer, or messages of the user wait on disk.
        """
        if wanted.user_id is None or not (wanted.where != EVERYTHING or wanted.tags or wanted.session_id or before):
            raise InputError("name at least one condition: where, before, sessionId or tags; forgetUser forgets all")
        check_ids(userId=wanted.user_id)
        if await self.spool.has_waiting(tenant, UserId(wanted.user_id)):
            raise UnavailableError(
                "messages of this user still wait on disk; repeat the call when they are stored", 1.0
            )
        ids = await MessageLog(self.graph, spool=self.spool).ids(tenant, wanted, before=before)
        done = ForgetResult(messages=len(ids)) if dry_run else ForgetResult()
        for start in () if dry_run else range(0, len(ids), MESSAGES_PER_COMMIT):
            selection = message_selection(tenant, ids=ids[start : start + MESSAGES_PER_COMMIT])
            rows = await self.graph.read(statement("forgetting/messages_to_forget"), selection)
            if rows:
                target = (TombstoneKind.MESSAGE, [row["id"] for row in rows])
                part = await self._forget(tenant, selection, rows, target, spooled=0)
                done = ForgetResult(**{name: value + getattr(part, name) for name, value in asdict(done).items()})
        return done

    async def expired(self, tenant: TenantId, ids: Sequence[str], *, until: datetime) -> ForgetResult:
        """Forget messages of one user that expired until a time, without tombstones.

        Args:
            ids: at most 1,000; those that were meanwhile given another expiry are kept.
        """
        selection = message_selection(tenant, ids=ids, expired_ms=millis(until))
        rows = await self.graph.read(statement("forgetting/messages_to_forget"), selection)
        if not rows:
            return ForgetResult()
        return await self._forget(tenant, selection, rows, (TombstoneKind.MESSAGE, []), spooled=0)

    async def replace_message(
        self, tenant: TenantId, user_id: str, session_id: str, message_id: str, new: Replacement
    ) -> MemoryId:
        """Replace the content of a message, in one transaction, and return its id.

        It keeps its id, time and place in the session. With a new text, everything derived from the former one is
        forgotten, and the new one is read, unless the message is one that is never read.

        Args:
            message_id: the caller's id, our id, or the URI.

        Raises:
            NotFoundError: the session has no such message.
            ConflictError: the message has another version.
        """
        check_replacement(new, now=self.clock())
        name = await find_message(self.graph, tenant, user_id, session_id, message_id)
        if name is None:
            raise NotFoundError(f"the session has no message {message_id!r}; perhaps it was forgotten")
        selection, at, temporary_id = message_selection(tenant, ids=[name]), self.clock(), str(uuid4())
        session = session_node_id(tenant, UserId(user_id), SessionId(session_id))

        async def steps(writing: Writing) -> tuple[list[Row], dict[str, Any] | None]:
            forgetting = ForgettingWriter(writing=writing, tenant=tenant, user_id=UserId(user_id), at=at)
            await forgetting.lock([session])
            found = await writing.run(statement("messages/stored"), {"tenant": tenant, "id": name})
            if not found:
                raise NotFoundError(f"the session has no message {message_id!r}; it was forgotten")
            stored, ids, texts = found[0]["properties"], found[0]["ids"], found[0]["texts"]
            version = stored.get("version") or 1
            if new.if_version not in (None, version):
                raise ConflictError(
                    f"the message has version {version}, not {new.if_version}; read it and decide again"
                )
            if new.text is None or new.text == "".join(texts):
                await set_details(writing, stored, ids, new, at=at)
                return [], None
            first, *parts = rewritten(stored, texts, session_id, new, at=at)
            messages = await writing.run(statement("forgetting/messages_to_forget"), selection)
            substitute = {"tenant": tenant, "properties": first | {"id": temporary_id}}
            await writing.run(statement("messages/add_substitute"), substitute)
            await self._commit(forgetting, messages, [])
            parts.sort(key=lambda part: str(part["id"]))
            named = {"tenant": tenant, "temporary_id": temporary_id, "id": name, "parts": parts}
            await writing.run(statement("messages/put_parts"), named)
            return messages, first

        messages, first = await self.graph.write(steps)
        if first is not None:
            await self._forget_cached(tenant, UserId(user_id), messages)
            key = SessionKey(tenant=tenant, user_id=UserId(user_id), session_id=SessionId(session_id))
            if first["text"]:
                self.window.add(key, [shortened(**{n: first[n] for n in _TURN}, role=Role(first["role"]))])
        self.notify(tenant)
        return MemoryId(name)

    async def scene(self, tenant: TenantId, scene_id: str) -> ForgetResult:
        """Forget a scene with its messages.

        Args:
            scene_id: its id, or its URI.

        Raises:
            NotFoundError: the tenant has no such scene; perhaps it was forgotten before, or segmented again.
        """
        check_ids(sceneId=scene_id)
        selection = message_selection(tenant, scene=to_element_id(scene_id))
        rows = await self.graph.read(statement("forgetting/messages_to_forget"), selection)
        if not rows:
            raise NotFoundError(f"there is no scene {scene_id!r}; perhaps it was forgotten before")
        ids = [row["id"] for row in rows]
        selection = message_selection(tenant, ids=ids)
        return await self._forget(tenant, selection, rows, (TombstoneKind.MESSAGE, ids), spooled=0)

    async def session(self, tenant: TenantId, user_id: str, session_id: str) -> ForgetResult:
        """Forget a session of a user with its messages.

        Raises:
            NotFoundError: the user has no such session; perhaps it was forgotten before.
        """
        check_ids(userId=user_id, sessionId=session_id)
        node_id = session_node_id(tenant, UserId(user_id), SessionId(session_id))
        selection, target = message_selection(tenant, session=node_id), (TombstoneKind.SESSION, [node_id])
        missing = f"user {user_id!r} has no session {session_id!r}; perhaps it was forgotten before"
        which = {"user_id": user_id, "session_id": session_id}
        return await self._forget_everywhere(tenant, selection, target, missing, **which)

    async def user(self, tenant: TenantId, user_id: str) -> ForgetResult:
        """Forget a user with all messages, sessions, entities and facts.

        Messages that arrive meanwhile are spooled or refused. If the process dies, another one finishes the job; the
        call may be repeated.

        Raises:
            NotFoundError: the tenant has no such user; perhaps they were forgotten before.
        """
        check_ids(userId=user_id)
        user, node_id = UserId(user_id), memory_id(user_uri(tenant, user_id))
        parameters = {"tenant": tenant, "user_id": user_id, "user_node_id": node_id}
        (totals,) = await self.graph.read(statement("forgetting/user_totals"), parameters)
        target = (TombstoneKind.USER, [node_id])
        spooled = await self._forget_spooled(tenant, target, stored=any(totals.values()), user_id=user_id)
        # Again, because the replay may have stored messages before they could be removed from the spool.
        (totals,) = await self.graph.read(statement("forgetting/user_totals"), parameters)
        if not any(totals.values()):
            return _spooled_result(spooled, f"there is no user {user_id!r}; perhaps they were forgotten before")
        await self.window.forget(tenant, user)
        at_ms = millis(self.clock())
        (tombstone,) = await self._tombstones(tenant, target, at_ms)
        await begin_user_erasure(self.graph, tenant, user, node_id, tombstone, now_ms=at_ms)
        await self.erase_user(tenant, node_id)
        self.on_forgotten(tenant)
        self.questions.forget_user(tenant, user_id)
        await self.window.forget(tenant, user)
        self.notify(tenant)
        counts = {name: totals[name] for name in ("messages", "scenes", "facts", "entities")}
        return ForgetResult(**counts, spooled=spooled)

    async def fact(self, tenant: TenantId, fact_id: str) -> ForgetResult:
        """Forget a fact: delete it, reopen the facts it had closed, and never extract it again.

        The messages stay; corrections that state nothing else are deleted, with the facts that they had rejected. The
        tombstone contains only a keyed hash of the fact.

        Raises:
            NotFoundError: the tenant has no such fact; perhaps it was forgotten before.
        """
        check_ids(factId=fact_id)
        return await self._forget_knowledge(tenant, lambda writing: find_fact(writing, tenant, fact_id))

    async def entity(self, tenant: TenantId, entity_id: str) -> ForgetResult:
        """Forget an entity with its facts; the messages stay, but it is not extracted from them again.

        Raises:
            NotFoundError: the tenant has no such entity; perhaps it was forgotten before.
        """
        check_ids(entityId=entity_id)
        return await self._forget_knowledge(tenant, lambda writing: find_entity(writing, tenant, entity_id))

    async def _forget_everywhere(
        self,
        tenant: TenantId,
        selection: dict[str, Any],
        target: tuple[TombstoneKind, Sequence[str]],
        missing: str,
        **which: Any,
    ) -> ForgetResult:
        """Forget messages in the graph and in the spool, where `which` selects them; raise if there are none."""
        rows = await self.graph.read(statement("forgetting/messages_to_forget"), selection)
        spooled = await self._forget_spooled(tenant, target, stored=bool(rows), **which)
        # Again, because the replay may have stored messages before they could be removed from the spool.
        rows = rows or await self.graph.read(statement("forgetting/messages_to_forget"), selection)
        if not rows:
            return _spooled_result(spooled, missing)
        return await self._forget(tenant, selection, rows, target, spooled)

    async def _forget_spooled(
        self, tenant: TenantId, target: tuple[TombstoneKind, Sequence[str]], *, stored: bool, **which: Any
    ) -> int:
        """Remove messages from the spool and the window; return their number.

        Args:
            stored: the graph has some, too. Otherwise leave tombstones here, so that copies in other spools are not
                stored.
        """
        users = set[str]()
        spooled = await self.spool.forget(tenant, users=users, **which)
        if spooled and not stored:
            rows = await self._tombstones(tenant, target, millis(self.clock()), create=True)

            async def steps(writing: Writing) -> None:
                await writing.run(statement("tombstones/put_tombstones"), {"tenant": tenant, "rows": rows})
                for user in sorted(users):
                    await record_forgetting(writing, tenant, user, messages=True)

            await self.graph.write(steps)
        for user in sorted(users):
            await self.window.forget(tenant, UserId(user))
        return spooled

    async def _tombstones(
        self, tenant: TenantId, target: tuple[TombstoneKind, Sequence[str]], at_ms: int, *, create: bool = False
    ) -> list[dict[str, Any]]:
        """Return the rows of `tombstones/put_tombstones` for messages, sessions or users."""
        key = await ensure_tombstone_key(self.graph, tenant, secrets.token_hex(16), create=create)
        return _message_tombstones(key.salt, target, at_ms)

    async def _forget_knowledge(
        self, tenant: TenantId, find: Callable[[Writing], Awaitable[ForgetTarget]]
    ) -> ForgetResult:
        key, at = await ensure_tombstone_key(self.graph, tenant, secrets.token_hex(16)), self.clock()
        forgotten = set[str]()

        async def steps(writing: Writing) -> tuple[ForgetResult, UserId, list[Row]]:
            user_id = (await find(writing)).user_id
            forgetting = ForgettingWriter(writing=writing, tenant=tenant, user_id=user_id, at=at)
            await forgetting.lock([])
            # Find again under the lock.
            targets, corrections = await with_corrections(writing, tenant, await find(writing))
            selection = message_selection(tenant, ids=corrections)
            messages = await writing.run(statement("forgetting/messages_to_forget"), selection)
            await forgetting.lock(sorted({row["session"] for row in messages}))
            tombstones = [row for one in targets for row in one.tombstones(tenant, key, millis(at))]
            tombstones += _message_tombstones(key.salt, (TombstoneKind.MESSAGE, corrections), millis(at))
            target = joined(targets)
            forgotten.update(target.facts, target.entities)
            return await self._commit(forgetting, messages, tombstones, target), user_id, messages

        result, user_id, messages = await self.graph.write(steps)
        await self._forget_cached(tenant, user_id, messages)
        self.questions.forget_elements(tenant, forgotten)
        self.notify(tenant)
        return result

    async def _forget(
        self,
        tenant: TenantId,
        selection: dict[str, Any],
        rows: Sequence[Row],
        tombstone_targets: tuple[TombstoneKind, Sequence[str]],
        spooled: int,
    ) -> ForgetResult:
        user_id, at = UserId(rows[0]["user_id"]), self.clock()
        tombstones = await self._tombstones(tenant, tombstone_targets, millis(at))
        await self._forget_cached(tenant, user_id, rows)

        async def steps(writing: Writing) -> ForgetResult:
            forgetting = ForgettingWriter(writing=writing, tenant=tenant, user_id=user_id, at=at)
            await forgetting.lock(sorted({row["session"] for row in rows}))
            # Read again under the lock.
            messages = await writing.run(statement("forgetting/messages_to_forget"), selection)
            return await self._commit(forgetting, messages, tombstones)

        result = await self.graph.write(steps)
        # A concurrent recall may have filled the caches meanwhile.
        await self._forget_cached(tenant, user_id, rows)
        self.notify(tenant)
        return replace(result, spooled=spooled)

    async def _commit(
        self,
        forgetting: ForgettingWriter,
        messages: Sequence[Row],
        tombstones: Sequence[Mapping[str, Any]],
        target: ForgetTarget | None = None,
    ) -> ForgetResult:
        async def current_impact() -> Impact:
            impact = await forgetting.find_impact(
                messages,
                cleared={*renamed_scenes, *(target.scenes if target else ())},
                deleted_entities=target.entities if target else (),
            )
            if target is not None:
                impact.rejected |= target.facts
                for name, row in impact.facts.items():
                    if not target.entities.isdisjoint((row["subject_id"], row["object_id"])):
                        impact.rejected.add(name)
            return impact

        if not messages and target is None:
            return ForgetResult()
        renamed_scenes = await forgetting.forget_own_names(messages, target.names if target else ())
        impact = await current_impact()
        merged_ids = [row["id"] for row, outcome in impact.outcomes if row["is_member"] and outcome.properties is None]
        changes: list[Change] = []
        for name in merged_ids:
            changes += await forgetting.undo_merges(name)
        if merged_ids:
            impact = await current_impact()
        return await forgetting.commit(impact, tombstones, changes)

    async def _forget_cached(self, tenant: TenantId, user_id: UserId, rows: Sequence[Row]) -> None:
        """Remove messages from this process's caches, the question log and the short-term window."""
        self.on_forgotten(tenant)
        ids_found = {row[name] for row in rows for name in ("id", "scene_id") if row[name] is not None}
        self.questions.forget_elements(tenant, ids_found)
        for session in sorted({row["session_id"] for row in rows}):
            ids = [row["id"] for row in rows if row["session_id"] == session]
            await self.window.forget(tenant, user_id, session_id=SessionId(session), message_ids=ids)


def message_selection(
    tenant: TenantId,
    *,
    ids: Sequence[str] = (),
    session: str | None = None,
    scene: str | None = None,
    expired_ms: int | None = None,
) -> dict[str, Any]:
    """Return the parameters of `forgetting/messages_to_forget`."""
    return {"tenant": tenant, "ids": list(ids), "session": session, "scene": scene, "expired_ms": expired_ms}


def _message_tombstones(salt: str, target: tuple[TombstoneKind, Sequence[str]], at_ms: int) -> list[dict[str, Any]]:
    kind, ids = target
    return [
        {"id": tombstone_id(salt, kind, name), "kind": kind.value, "user_node_id": None, "at_ms": at_ms} for name in ids
    ]


def _spooled_result(spooled: int, reason: str) -> ForgetResult:
    if not spooled:
        raise NotFoundError(reason)
    return ForgetResult(spooled=spooled)
