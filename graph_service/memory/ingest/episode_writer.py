"""Store messages in one commit, or in the spool while Neo4j does not answer, and return a receipt."""

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from graph_service.graph.rows import to_row
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.change_log.log import append_changes, node_change
from graph_service.memory.ingest.spool import Spool, without
from graph_service.memory.ingest.validation import CheckedEpisode
from graph_service.memory.tags import message_tokens
from graph_service.memory.tombstones import forgotten_message_ids
from schema.change import Change
from schema.entity import the_user
from schema.errors import ConflictError, UnavailableError
from schema.ids import MemoryId, Uri, content_hash, memory_id, scope_token, session_uri
from schema.labels import Label
from schema.message import NO_OUTCOME, Episode, Message, ProvidedFact, ProvidedOutcome
from schema.timespan import day_token, millis

_FORGETTING_RETRY_S: Final = 1.0
# Attributes of a message that are stored as they are.
_PROPERTIES: Final = (
    *("id", "uri", "role", "speaker", "text", "said_at", "position", "content_hash", "importance", "zone", "emotion"),
    *("mentioned_start", "mentioned_end", "tags", "external_id", "raw", "raw_hash", "metadata", "parts", "part_of"),
)


class UserBeingForgottenError(UnavailableError):
    """The user of an episode is being forgotten; new messages can be stored after that."""

    def __init__(self, user_id: str) -> None:
        super().__init__(
            f"user {user_id!r} is being forgotten; new messages can be stored in a moment", _FORGETTING_RETRY_S
        )


class BatchError(Exception):
    """Some episodes of a batch were refused, so that none was stored.

    Attributes:
        errors: errors by index of the episode in the batch.
    """

    def __init__(self, errors: Mapping[int, ConflictError | UserBeingForgottenError]) -> None:
        super().__init__(f"{len(errors)} episodes of the batch were refused")
        self.errors = errors


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The result of remember; the messages are then durable and searchable.

    Attributes:
        session_uri: the session's URI.
        message_ids: message ids, in the order of the call.
        uris: message URIs, in the order of the call.
        stored: number of new messages.
        repeated: number of messages that were already stored.
        dropped: reasons why facts of the call were rejected.
        spooled: Neo4j is unavailable: the messages are stored on disk, and searchable when it is back.
        outcome: what the provided facts close, and what they may contradict.
    """

    session_uri: Uri
    message_ids: tuple[MemoryId, ...]
    uris: tuple[Uri, ...]
    stored: int
    repeated: int
    dropped: tuple[str, ...] = ()
    spooled: bool = False
    outcome: ProvidedOutcome = NO_OUTCOME

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what was not done as the caller wanted: facts that were not stored, and `replaces` without effect."""
        return (*(f"not stored: {reason}" for reason in self.dropped), *self.outcome.notes)


async def store_or_spool(graph: Graph, spool: Spool, checked: CheckedEpisode, *, epoch: str) -> Receipt:
    """Store an episode in Neo4j, or on disk while Neo4j does not answer or older episodes of the user wait on disk.

    Episodes of a user who is being forgotten also wait on disk.

    Raises:
        ConflictError: a message with the same id but other text, speaker or time is stored.
        UnavailableError: neither Neo4j nor the disk accepts it; nothing was stored.
    """
    episode = checked.episode
    if not await spool.seems_waiting(episode.tenant, episode.user_id):
        with contextlib.suppress(UnavailableError):
            return await store_episode(graph, episode, epoch=epoch, dropped=checked.dropped)
    return await spool_episode(spool, checked)


async def spool_episode(spool: Spool, checked: CheckedEpisode) -> Receipt:
    """Store an episode on disk until Neo4j answers.

    Raises:
        ConflictError: the same episode was spooled before, and Neo4j refused it.
        UnavailableError: the spool is full or the disk fails; nothing was stored.
    """
    is_new = await spool.put(checked.episode)
    stored = sum(message.part_of is None for message in checked.episode.messages) if is_new else 0
    return _receipt(checked.episode, stored, checked.dropped, spooled=True)


async def store_episode(graph: Graph, episode: Episode, *, epoch: str, dropped: tuple[str, ...] = ()) -> Receipt:
    """Store messages, session, provided facts and jobs in one commit.

    Args:
        epoch: random string for the change log of a tenant that does not exist yet.

    Raises:
        ConflictError: a message with the same id but other text, speaker or time is stored.
        UnavailableError: Neo4j does not answer, or the user is being forgotten.
    """
    try:
        rows = (await _store(graph, {0: episode}, epoch))[0]
    except BatchError as refused:
        raise refused.errors[0] from None
    parts = {message.id for message in episode.messages if message.part_of is not None}
    stored = sum(row["is_new"] for row in rows if row["id"] not in parts)
    return _receipt(episode, stored, dropped, spooled=False)


async def store_episodes(graph: Graph, episodes: Sequence[Episode], *, epoch: str) -> None:
    """Store spooled episodes in one commit, without messages that were forgotten since they were received.

    Args:
        episodes: in the order in which they were received; several may belong to one session.

    Raises:
        BatchError: some were refused; none was stored.
        UnavailableError: Neo4j does not answer or cannot store them now.
    """
    remaining: dict[int, Episode] = {}
    for index, (episode, ids) in enumerate(zip(episodes, await forgotten_message_ids(graph, episodes), strict=True)):
        if (kept := without(episode, ids) if ids else episode) is not None:
            remaining[index] = kept
    if remaining:
        await _store(graph, remaining, epoch)


async def _store(graph: Graph, episodes: Mapping[int, Episode], epoch: str) -> dict[int, list[Row]]:
    """Store episodes in one commit, and return the rows of each of them.

    Raises:
        BatchError: some were refused; none was stored.
    """
    parameters = {"episodes": [{"place": place, **_parameters(one, epoch)} for place, one in episodes.items()]}

    async def steps(writing: Writing) -> dict[int, list[Row]]:
        rows: dict[int, list[Row]] = {place: [] for place in episodes}
        for row in await writing.run(statement("ingest/add_messages"), parameters):
            rows[row["place"]].append(row)
        if refused := {place: error for place, one in episodes.items() if (error := _refusal(rows[place], one))}:
            raise BatchError(refused)
        new_users: dict[tuple[str, str, str | None], Episode] = {}
        for place, episode in episodes.items():
            if not rows[place][0]["user_known"]:
                new_users.setdefault((episode.tenant, episode.user_id, episode.user_name), episode)
        # Add all users before writing any change, because tenants are locked last.
        changes = [(episode, await _add_user(writing, episode)) for episode in new_users.values()]
        for episode, change in changes:
            await append_changes(writing, episode.tenant, episode.user_id, [change], at=episode.received_at)
        return rows

    return await graph.write(steps)


def _refusal(rows: list[Row], episode: Episode) -> ConflictError | UserBeingForgottenError | None:
    """Return the error if the user is being forgotten, or stored messages differ from those of the episode."""
    if rows[0]["forgetting"]:
        return UserBeingForgottenError(episode.user_id)
    stored = {row["id"]: row["stored_key"] for row in rows}
    changed = [message.uri for message in episode.messages if stored[message.id] != message.repeat_key]
    if not changed:
        return None
    return ConflictError(
        f"{len(changed)} message(s) are already stored with another text, speaker, time or payload, first {changed[0]};"
        " nothing was written. Use a new id for a new message"
    )


async def _add_user(writing: Writing, episode: Episode) -> Change:
    put = await writing.run(statement("ingest/add_user"), {"tenant": episode.tenant, "user": _user_row(episode)})
    return node_change(put[0]["properties"], Label.USER, "first message")


def _receipt(episode: Episode, stored: int, dropped: tuple[str, ...], *, spooled: bool) -> Receipt:
    messages = [message for message in episode.messages if message.part_of is None]
    return Receipt(
        session_uri=session_uri(episode.tenant, episode.user_id, episode.session_id),
        message_ids=tuple(message.id for message in messages),
        uris=tuple(message.uri for message in messages),
        stored=stored,
        repeated=len(messages) - stored,
        dropped=dropped,
        spooled=spooled,
    )


def _parameters(episode: Episode, epoch: str) -> dict[str, Any]:
    session = session_uri(episode.tenant, episode.user_id, episode.session_id)
    episode_row = _episode_row(episode)
    return {
        "tenant": episode.tenant,
        "epoch": epoch,
        "now": episode.received_at,
        "now_ms": millis(episode.received_at),
        "user_node_id": the_user(episode.tenant, episode.user_id).id,
        "user_name": episode.user_name,
        "session_node_id": memory_id(session),
        "session": {
            "uri": session,
            "user_node_id": the_user(episode.tenant, episode.user_id).id,
            "user_id": episode.user_id,
            "session_id": episode.session_id,
            "agent_id": episode.agent_id,
        },
        "episode": episode_row,
        "rows": sorted(
            (message_row(episode, message, episode_row) for message in episode.messages),
            key=lambda row: str(row["id"]),
        ),
    }


def message_row(episode: Episode, message: Message, episode_row: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return a message as a row of `ingest/add_messages`."""
    return {
        "id": message.id,
        "repeat_key": message.repeat_key,
        "properties": {
            **to_row(message, _PROPERTIES),
            "tenant": episode.tenant,
            "user_id": episode.user_id,
            "session_id": memory_id(session_uri(episode.tenant, episode.user_id, episode.session_id)),
            "agent_id": episode.agent_id,
            "said_ms": millis(message.said_at),
            "said_day": day_token(message.said_at),
            "received_at": episode.received_at,
            "tag_tokens": message_tokens(episode.tenant, episode.user_id, message.tags, message.metadata) or None,
            "scope_tenant": scope_token(episode.tenant),
            "scope_user": scope_token(episode.tenant, episode.user_id),
            "expires_ms": millis(message.expires_at) if message.expires_at else None,
            "unread": message.extract or None,
            "never_read": None if message.extract else True,
            "unembedded": bool(message.text.strip()) or None,
            "episode_id": episode_row["id"] if episode_row else None,
        },
    }


def _episode_row(episode: Episode) -> dict[str, Any] | None:
    """Return the row that keeps provided facts until the worker reads them; None without facts or summary."""
    if not episode.facts and episode.summary is None:
        return None
    facts = json.dumps([_fact_row(fact) for fact in episode.facts], default=str, ensure_ascii=False, sort_keys=True)
    key = content_hash(*(message.id for message in episode.messages), facts, episode.summary or "")
    return {
        "id": memory_id(f"{session_uri(episode.tenant, episode.user_id, episode.session_id)}/episode/{key}"),
        "message_ids": [message.id for message in episode.messages],
        "facts": facts,
        "summary": episode.summary,
    }


def _fact_row(fact: ProvidedFact) -> dict[str, Any]:
    """Return the fact as stored in the episode; `correction` and `replaces` only if they are given."""
    return {name: value for name, value in asdict(fact).items() if name not in ("correction", "replaces") or value}


def _user_row(episode: Episode) -> dict[str, Any]:
    user = the_user(episode.tenant, episode.user_id, episode.user_name)
    first = min(message.said_at for message in episode.messages)
    last = max(message.said_at for message in episode.messages)
    return {
        "id": user.id,
        "uri": user.uri,
        "user_id": episode.user_id,
        "name": episode.user_name,
        "key": user.key,
        "first_seen": first,
        "last_seen": last,
    }
