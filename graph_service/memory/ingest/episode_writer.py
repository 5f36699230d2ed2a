"""Taking messages in: one commit, then the receipt."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.change_log.payloads import node_view
from graph_service.memory.ingest.spool import Spool, without
from graph_service.memory.ingest.validation import CheckedEpisode
from graph_service.memory.tombstones import forgotten_message_ids
from schema.change import Change, Op
from schema.entity import the_user
from schema.errors import ConflictError, UnavailableError
from schema.ids import MemoryId, Uri, content_hash, memory_id, scope_token, session_uri
from schema.message import Episode, Message, ProvidedFact
from schema.timespan import day_token, millis

_FORGETTING_S: Final = 1.0


class BeingForgottenError(UnavailableError):
    """The user of an episode is being forgotten; what they say now can be stored when that is done."""

    def __init__(self, user_id: str) -> None:
        who = f"user {user_id!r} is being forgotten"
        super().__init__(f"{who}; what they say now can be stored in a moment", _FORGETTING_S)


class BatchError(Exception):
    """Some episodes of a batch were refused, so nothing of it was stored.

    Attributes:
        errors: by the place of the episode in the batch.
    """

    def __init__(self, errors: Mapping[int, ConflictError | BeingForgottenError]) -> None:
        super().__init__(f"{len(errors)} episodes of the batch were refused")
        self.errors = errors


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of one call of `remember`; when the caller has it, the messages are durable.

    Attributes:
        message_ids: in the order of the call; uris likewise.
        stored: how many messages were new; repeated: how many had been stored before.
        dropped: why facts that were handed in were left out.
        spooled: Neo4j is away, so they wait on this machine's disk; they are searchable when it is back. A message
            that Neo4j holds already then counts as stored here.
    """

    session_uri: Uri
    message_ids: tuple[MemoryId, ...]
    uris: tuple[Uri, ...]
    stored: int
    repeated: int
    dropped: tuple[str, ...] = ()
    spooled: bool = False


async def store_or_spool(graph: Graph, spool: Spool | None, checked: CheckedEpisode, *, epoch: str) -> Receipt:
    """Store an episode in Neo4j; or on disk, while Neo4j is away or older episodes of the user wait there.

    What is said while its user is being forgotten waits on disk, too, until that is done.

    Raises:
        ConflictError: a message with the same id but other words, speaker or time is stored already.
        UnavailableError: neither Neo4j nor the disk takes it; nothing was stored.
    """
    episode = checked.episode
    if spool is None or not await _waits(spool, episode):
        try:
            return await store_episode(graph, episode, epoch=epoch, dropped=checked.dropped)
        except UnavailableError:
            if spool is None:
                raise
    return await keep_in_spool(spool, checked)


async def keep_in_spool(spool: Spool, checked: CheckedEpisode) -> Receipt:
    """Keep an episode on disk until Neo4j is back.

    Raises:
        ConflictError: the same episode was spooled before, and Neo4j refused it.
        UnavailableError: the spool is full, or the disk does not take it; nothing was stored.
    """
    is_new = await spool.put(checked.episode)
    return _receipt(checked.episode, len(checked.episode.messages) if is_new else 0, checked.dropped, spooled=True)


async def _waits(spool: Spool, episode: Episode) -> bool:
    """Return whether older episodes of the user are on disk; a disk that cannot be read keeps nobody from Neo4j."""
    try:
        return await spool.holds(episode.tenant, episode.user_id)
    except UnavailableError:
        return False


async def replay_episodes(graph: Graph, episodes: Sequence[Episode], *, epoch: str) -> None:
    """Store episodes that waited on disk in one commit, without what was forgotten since they came in.

    Args:
        episodes: in the order in which they came; several may be of one session.

    Raises:
        BatchError: some of them were refused, and it says which; nothing was stored.
        UnavailableError: Neo4j does not answer, or does not take them now.
    """
    left = [
        (place, episode if not ids else without(episode, ids))
        for place, (episode, ids) in enumerate(zip(episodes, await forgotten_message_ids(graph, episodes), strict=True))
    ]
    await _store_batch(graph, [(place, episode) for place, episode in left if episode is not None], epoch=epoch)


async def _store_batch(graph: Graph, placed: Sequence[tuple[int, Episode]], *, epoch: str) -> None:
    if not placed:
        return
    parameters = {"episodes": [{"place": place, **_parameters(episode, epoch)} for place, episode in placed]}
    by_place = dict(placed)

    async def steps(writing: Writing) -> None:
        rows = await writing.run(statement("ingest/add_episodes"), parameters)
        by_episode: dict[int, list[dict[str, Any]]] = {place: [] for place in by_place}
        for row in rows:
            by_episode[row["place"]].append(row)
        errors: dict[int, ConflictError | BeingForgottenError] = {}
        for place, episode in by_place.items():
            try:
                _refuse(by_episode[place], episode)
            except (BeingForgottenError, ConflictError) as error:
                errors[place] = error
        if errors:
            raise BatchError(errors)
        new: dict[tuple[str, str, str | None], Episode] = {}
        for place, episode in by_place.items():
            if not by_episode[place][0]["user_known"]:
                new.setdefault((episode.tenant, episode.user_id, episode.user_name), episode)
        # All users first: the tenants are locked last.
        changes = [(episode, await _add_user(writing, episode)) for episode in new.values()]
        for episode, change in changes:
            await append_changes(writing, episode.tenant, episode.user_id, [change], at=episode.received_at)

    await graph.write(steps)


def _refuse(rows: list[dict[str, Any]], episode: Episode) -> None:
    if rows[0]["forgetting"]:
        raise BeingForgottenError(episode.user_id)
    _refuse_conflicts(rows, episode.messages)


async def _add_user(writing: Writing, episode: Episode) -> Change:
    put = await writing.run(statement("ingest/add_user"), {"tenant": episode.tenant, "user": _user_row(episode)})
    view = node_view(put[0]["properties"], "User").model_dump(mode="json")
    user = the_user(episode.tenant, episode.user_id, episode.user_name)
    return Change(op=Op.NODE_PUT, element_id=user.id, body=view, reason="first message")


async def store_episode(graph: Graph, episode: Episode, *, epoch: str, dropped: tuple[str, ...] = ()) -> Receipt:
    """Return messages, session, the facts brought and the work to do, in one commit.

    Args:
        epoch: a random word for the change log of a tenant that does not exist yet.

    Raises:
        ConflictError: a message with the same id but other words, speaker or time is stored already.
        UnavailableError: Neo4j does not answer.
    """
    parameters = _parameters(episode, epoch)

    async def steps(writing: Writing) -> list[dict[str, Any]]:
        rows = await writing.run(statement("ingest/add_messages"), parameters)
        _refuse(rows, episode)
        if not rows[0]["user_known"]:
            change = await _add_user(writing, episode)
            await append_changes(writing, episode.tenant, episode.user_id, [change], at=episode.received_at)
        return rows

    rows = await graph.write(steps)
    return _receipt(episode, sum(row["is_new"] for row in rows), dropped, spooled=False)


def _receipt(episode: Episode, stored: int, dropped: tuple[str, ...], *, spooled: bool) -> Receipt:
    return Receipt(
        session_uri=session_uri(episode.tenant, episode.user_id, episode.session_id),
        message_ids=tuple(message.id for message in episode.messages),
        uris=tuple(message.uri for message in episode.messages),
        stored=stored,
        repeated=len(episode.messages) - stored,
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
            (_message_row(episode, message, episode_row) for message in episode.messages),
            key=lambda row: str(row["id"]),
        ),
    }


def _message_row(episode: Episode, message: Message, episode_row: dict[str, Any] | None) -> dict[str, Any]:
    return {
        "id": message.id,
        "content_hash": message.content_hash,
        "properties": {
            "tenant": episode.tenant,
            "id": message.id,
            "uri": message.uri,
            "user_id": episode.user_id,
            "session_id": memory_id(session_uri(episode.tenant, episode.user_id, episode.session_id)),
            "agent_id": episode.agent_id,
            "role": message.role.value,
            "speaker": message.speaker,
            "text": message.text,
            "said_at": message.said_at,
            "said_ms": millis(message.said_at),
            "said_day": day_token(message.said_at),
            "position": message.position,
            "content_hash": message.content_hash,
            "received_at": episode.received_at,
            "importance": message.importance,
            "zone": message.zone,
            "mentioned_start": message.mentioned_start,
            "mentioned_end": message.mentioned_end,
            "scope_tenant": scope_token(episode.tenant),
            "scope_user": scope_token(episode.tenant, episode.user_id),
            "unread": True,
            "unembedded": True,
            "episode_id": episode_row["id"] if episode_row else None,
        },
    }


def _episode_row(episode: Episode) -> dict[str, Any] | None:
    """Return the node that keeps brought facts until the worker reads them; None when the caller brought nothing."""
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
    """Return the fact as the episode keeps it; it is named as before there were facts that people state."""
    return {name: value for name, value in asdict(fact).items() if name != "stated" or value is not None}


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


def _refuse_conflicts(rows: list[dict[str, Any]], messages: tuple[Message, ...]) -> None:
    stored = {row["id"]: row["stored_hash"] for row in rows}
    changed = [message.uri for message in messages if stored[message.id] != message.content_hash]
    if changed:
        raise ConflictError(
            f"{len(changed)} message(s) are stored already with other words, speaker or time, first {changed[0]}; "
            "nothing was written. Use a new id for a new message"
        )
