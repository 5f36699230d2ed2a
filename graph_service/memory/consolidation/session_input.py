"""Load the input of a digest.

Unread messages of a session, their scenes and the facts provided with them, and what a model is told of the memory
around a scene.
"""

import contextlib
import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter

from extraction.embeddings.embedder import Embedder, spoken
from extraction.reader import THE_AGENT, KnownName, ProposedFact, Quote, Reading, SceneContext, SceneLine, SceneText
from extraction.text.fulltext_words import words_in
from extraction.text.topic_shift import Topic, topic_words
from extraction.unreadable import read_or
from graph_service.graph.lucene import scoped_query
from graph_service.graph.rows import from_row
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.proposal_check import CALLER
from graph_service.memory.consolidation.segmentation import MESSAGES_MIN, PAUSE_S, SPAN_MAX_S, assign
from graph_service.memory.entity_resolution.resolver import Owner
from graph_service.memory.facts.bitemporal import AsOf
from graph_service.memory.jobs.outbox import JobClaim
from graph_service.memory.profile.reader import CoreKind, core_memory
from schema.assertion import CorrectionKind
from schema.entity import EntityType
from schema.errors import BrokenDataError, MnemosceneError
from schema.fact import FactDetail
from schema.failure import failure_of
from schema.ids import MemoryId, TenantId, UserId, content_hash, name_key, scope_token
from schema.labels import Role
from schema.message import Message, ProvidedFact
from schema.scene import Scene, hash_parts
from schema.timespan import millis

_log = logging.getLogger("mnemoscene.scenes")


async def topics_of(messages: Sequence[Message], embedder: Embedder | None) -> dict[MemoryId, Topic]:
    """Return the topic of each message; without vectors if the embedder does not answer.

    The same texts are embedded for search, so a cached embedder computes each vector once.
    """
    vectors: dict[MemoryId, NDArray[np.float64]] = {}
    if embedder and messages:
        try:
            found = await embedder.embed([spoken(message.speaker, message.text) for message in messages])
            vectors = {message.id: np.asarray(vector) for message, vector in zip(messages, found, strict=True)}
        except MnemosceneError as error:
            _log.warning("topics of scenes are found without vectors: %s", error)
    return {
        message.id: Topic(terms=read_or(frozenset(), topic_words, message.text), vector=vectors.get(message.id))
        for message in messages
    }


_FACTS: Final = TypeAdapter(tuple[ProvidedFact, ...])
_MESSAGES_MAX = 500
# Limits of one digest; the next one reads what is left, after jobs of other tenants.
_CHARS_MAX = 60_000
# Calls with facts in one digest, messages that they may reference, and characters of their facts (about 1,000 facts).
_EPISODES_MAX = 50
_REFERENCES_MAX = 1_000
# Scenes that one refinement considers.
_SCENES_MAX = 100
_FACTS_CHARS_MAX = 500_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvidedEpisode:
    """Facts and a summary that a caller provided with some messages."""

    id: str
    message_ids: tuple[MemoryId, ...]
    facts: tuple[ProvidedFact, ...]
    summary: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInput:
    """The input of one digest of a session.

    Attributes:
        scenes: scenes with new messages or provided facts, and scenes that wait to be read or for layers of all their
            messages; oldest first.
        changed: ids of the scenes with new messages or provided facts.
        newest_ms: start of the latest scene of the session, in milliseconds since 1970.
        stored: properties of the stored scenes, by id.
        provided: episodes whose facts are read now, then earlier ones with messages in the same scenes.
        episodes: ids of the episodes whose provided facts are read now.
        more: unread messages or provided facts are left for the next digest.
    """

    owner: Owner
    user_properties: Mapping[str, Any]
    session_uri: str
    scenes: tuple[Scene, ...]
    changed: frozenset[MemoryId]
    newest_ms: int
    stored: Mapping[str, Mapping[str, Any]]
    provided: tuple[ProvidedEpisode, ...]
    episodes: tuple[str, ...]
    more: bool


async def load_session_input(
    graph: Graph,
    claim: JobClaim,
    embedder: Embedder | None,
    *,
    with_deferred: bool = False,
    until_ms: int | None = None,
) -> SessionInput | None:
    """Return the input of the next digest; None if there is nothing to read.

    Args:
        embedder: used to find topic shifts; None uses the words alone.
        with_deferred: include scenes that wait for an overview by a model.
        until_ms: read messages before this time only, in milliseconds since 1970; None for all.

    Raises:
        BrokenDataError: stored data lacks a property; the message names the node.
    """
    parameters = {
        "tenant": claim.tenant,
        "session": claim.session,
        "messages_max": _MESSAGES_MAX,
        "chars_max": _CHARS_MAX,
        "episodes_max": _EPISODES_MAX,
        "facts_chars_max": _FACTS_CHARS_MAX,
        "references_max": _REFERENCES_MAX,
        "pause_ms": round(PAUSE_S * 1000),
        "span_ms": round(SPAN_MAX_S * 1000),
        "include_pending_overviews": with_deferred,
        "until_ms": until_ms,
    }
    rows = await graph.read(statement("consolidation/session_input"), parameters)
    if not rows:
        return None
    row = rows[0]
    marks = ("unextracted", "layers_behind", *(["overview_pending"] if with_deferred else []))
    waiting = {scene["id"] for scene in row["scenes"] if any(scene["properties"][mark] for mark in marks)}
    if not (row["messages"] or row["episodes"] or waiting):
        return None
    near = row["scenes"]
    with broken_data_errors(f"session {claim.session}"):
        unread = [_message(message) for message in row["messages"]]
        unread_episodes = tuple(_provided_episode(episode) for episode in row["episodes"])
        known = [_scene(scene) for scene in near]
        owner = _owner(claim.tenant, row)
    provided = unread_episodes + await _earlier_episodes(graph, claim, [*near, row], unread_episodes)
    together = [message for scene in known for message in scene.messages] + unread
    # Shorter scenes end at pauses only.
    topics = await topics_of(together, embedder) if len(together) >= MESSAGES_MIN // 2 else {}
    changed = assign(row["session_uri"], unread, known, topics)
    referenced = {message_id for episode in unread_episodes for message_id in episode.message_ids}
    ids = {scene.id for scene in changed}
    also = [s for s in known if s.id not in ids and any(message.id in referenced for message in s.messages)]
    ids |= {scene.id for scene in also}
    also += [scene for scene in known if scene.id in waiting - ids]
    scenes = sorted([*changed, *also], key=lambda scene: (scene.episode_start, scene.id))
    starts = [millis(scene.episode_start) for scene in scenes]
    return SessionInput(
        owner=owner,
        user_properties=row["user_properties"],
        session_uri=row["session_uri"],
        scenes=tuple(scenes),
        changed=frozenset(ids),
        newest_ms=max([*starts, row["newest_ms"] or 0]),
        stored={scene["id"]: scene["properties"] for scene in near},
        provided=provided,
        episodes=tuple(episode.id for episode in unread_episodes),
        # Episodes are left for the next digest only if this one read some; otherwise they wait for their messages.
        more=row["messages_left"] or (bool(unread_episodes) and row["episodes_left"]),
    )


async def load_unrefined(graph: Graph, claim: JobClaim) -> tuple[SessionInput, bool] | None:
    """Return the scenes of a session that a model is still to read, and whether the session is active; None if gone.

    Raises:
        BrokenDataError: stored data lacks a property; the message names the node.
    """
    parameters = {"tenant": claim.tenant, "session": claim.session, "scenes_max": _SCENES_MAX}
    rows = await graph.read(statement("consolidation/unrefined_scenes"), parameters)
    if not rows:
        return None
    row = rows[0]
    with broken_data_errors(f"session {claim.session}"):
        scenes = [_scene(scene) for scene in row["scenes"]]
        owner = _owner(claim.tenant, row)
    session_input = SessionInput(
        owner=owner,
        user_properties=row["user_properties"],
        session_uri=row["session_uri"],
        scenes=tuple(sorted(scenes, key=lambda scene: (scene.episode_start, scene.id))),
        changed=frozenset(),
        newest_ms=row["newest_ms"] or 0,
        stored={scene["id"]: scene["properties"] for scene in row["scenes"]},
        provided=await _earlier_episodes(graph, claim, row["scenes"], ()),
        episodes=(),
        more=False,
    )
    return session_input, row["active"]


def _owner(tenant: TenantId, row: Mapping[str, Any]) -> Owner:
    user = row["user_properties"]
    # Aliases that the user declared in a conversation are valid only from then on (`plan.py`).
    declared = set(user.get("declared_names") or ())
    names = dict.fromkeys([user["name"], *(name for name in user["aliases"] if name not in declared)])
    return Owner(
        tenant=tenant,
        user_id=UserId(row["user_id"]),
        user_names=tuple(name for name in names if name),
        agent_id=row["agent_id"],
    )


async def _earlier_episodes(
    graph: Graph, claim: JobClaim, near: Sequence[Mapping[str, Any]], unread: Sequence[ProvidedEpisode]
) -> tuple[ProvidedEpisode, ...]:
    """Return the provided facts of earlier digests about messages of the scenes, because scenes are read as a whole."""
    ids = {message["episode_id"] for scene in near for message in scene["messages"] if message["episode_id"]}
    ids -= {episode.id for episode in unread}
    if not ids:
        return ()
    rows = await graph.read(statement("consolidation/episodes_by_id"), {"tenant": claim.tenant, "ids": sorted(ids)})
    with broken_data_errors(f"session {claim.session}"):
        return tuple(_provided_episode(row) for row in rows)


@contextlib.contextmanager
def broken_data_errors(what: str) -> Iterator[None]:
    """Convert lookup and conversion errors inside the block to `BrokenDataError`, which names the damaged node."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        place = failure_of(error)
        raise BrokenDataError(
            f"the stored data of {what} is incomplete ({place.kind} in {place.where}); find out whether an import"
            " or another program wrote it, repair or forget it, and retry the job"
        ) from error


def scene_text(session_input: SessionInput, scene: Scene, covered: Collection[MemoryId]) -> SceneText:
    """Return the scene as input of a reader.

    Args:
        covered: ids of messages with provided facts, which are only context, because the caller has read them.
    """
    owner = session_input.owner
    return SceneText(
        user_names=owner.user_names,
        agent_names=(owner.agent_id,) if owner.agent_id else (),
        lines=tuple(_line(message, fresh=message.id not in covered) for message in scene.messages),
    )


def _line(message: Message, *, fresh: bool) -> SceneLine:
    """Return a message as a line; an event is read like words of the user, with the names of who took part."""
    event = message.role is Role.EVENT
    return SceneLine(
        message_id=message.id,
        role=Role.USER if event else message.role,
        speaker=None if event else message.speaker,
        text=f"{message.text} ({message.speaker})" if event and message.speaker else message.text,
        said_at=message.said_local,
        fresh=fresh,
    )


class ProvidedByMessage:
    """Provided facts, with the calls of each message, so that a scene does not have to scan all of them."""

    def __init__(self, session: str, provided: Sequence[ProvidedEpisode]) -> None:
        self.covered = frozenset(name for episode in provided if episode.facts for name in episode.message_ids)
        self._session = session
        self._provided = provided
        self._calls: dict[MemoryId, list[int]] = {}
        for number, episode in enumerate(provided):
            for name in dict.fromkeys(episode.message_ids):
                self._calls.setdefault(name, []).append(number)

    def reading(self, scene: Scene) -> Reading:
        """Return the provided facts about the messages of one scene, as a reading.

        Raises:
            BrokenDataError: a provided fact lacks a property.
        """
        lines = {message.id: line for line, message in enumerate(scene.messages)}
        calls = sorted({number for name in lines for number in self._calls.get(name, ())})
        with broken_data_errors(f"the facts provided to session {self._session}"):
            facts = tuple(fact for number in calls for fact in _proposals(self._provided[number], lines))
        summaries = [summary for number in calls if (summary := self._provided[number].summary)]
        return Reading(reader=CALLER, facts=facts, summary=summaries[-1] if summaries else None)


def _proposals(call: ProvidedEpisode, lines: Mapping[MemoryId, int]) -> Iterator[ProposedFact]:
    """Yield the facts of a call for which messages of a scene are evidence; without references, all of the call are.

    Args:
        lines: of the scene, by message.
    """

    def quoted(names: Iterable[MemoryId]) -> tuple[Quote, ...]:
        return tuple(Quote(line=lines[name]) for name in names if name in lines)

    of_call = quoted(call.message_ids)
    for fact in call.facts:
        referenced = (call.message_ids[index] for index in fact.message_indexes)
        quotes = quoted(referenced) if fact.message_indexes else of_call
        if quotes:
            yield proposal(fact, quotes)


# The word by which callers name the agent.
_ASSISTANT: Final = "assistant"


def _resolved_name(name: str) -> str:
    """Return `THE_AGENT` for the word that means the agent, else the name."""
    return THE_AGENT if name_key(name) == _ASSISTANT else name


def proposal(fact: ProvidedFact, quotes: tuple[Quote, ...]) -> ProposedFact:
    """Return a provided fact as a proposal."""
    row = asdict(fact)
    return from_row(
        ProposedFact,
        row,
        subject=_resolved_name(fact.subject),
        object=fact.object if fact.relation == "works as" else _resolved_name(fact.object),
        quotes=quotes,
        subject_type=entity_type(fact.subject_type),
        object_type=entity_type(fact.object_type),
        closes=fact.correction is CorrectionKind.REJECTS,
        detail=from_row(FactDetail, row),
    )


def entity_type(word: str | None) -> EntityType | None:
    """Return the entity type with this name; None if there is none."""
    cleaned = (word or "").strip().casefold()
    return EntityType(cleaned) if cleaned in tuple(EntityType) else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _provided_episode(row: Mapping[str, Any]) -> ProvidedEpisode:
    facts = _FACTS.validate_json(row["facts"])
    return ProvidedEpisode(id=row["id"], message_ids=tuple(row["message_ids"]), facts=facts, summary=row["summary"])


def _message(row: Mapping[str, Any]) -> Message:
    if not all(isinstance(row[name], str) for name in ("id", "uri", "text", "content_hash")):
        raise BrokenDataError(f"message {row['id']} is stored without its text, content hash or URI")
    if type(row["position"]) is not int:
        raise BrokenDataError(f"message {row['id']} is stored without its position")
    return from_row(
        Message,
        row,
        role=Role(row["role"]),
        said_at=datetime.fromisoformat(row["said_at"]),
        mentioned_start=_moment(row["mentioned_start"]),
        mentioned_end=_moment(row["mentioned_end"]),
        received_at=_moment(row["received_at"]),
    )


def _scene(row: Mapping[str, Any]) -> Scene:
    messages = tuple(_message(message) for message in row["messages"])
    hashed = content_hash(*hash_parts(messages))
    return Scene(id=row["id"], uri=row["uri"], messages=messages, content_hash=hashed)


# Bounds of what each prompt carries besides the scene: about 1,500 tokens in all.
NAMES_MAX: Final = 40
ALIASES_MAX: Final = 3
NAMES_CHARS_MAX: Final = 1_600
PROFILE_MAX: Final = 30
PROFILE_CHARS_MAX: Final = 2_400
LINES_MAX: Final = 4
LINE_CHARS_MAX: Final = 300
SUMMARY_CHARS_MAX: Final = 600
_INSTANT: Final = timedelta(microseconds=1)


async def load_context(
    graph: Graph, session_input: SessionInput, session: str, scene: Scene, text: SceneText
) -> SceneContext:
    """Return the known names, the profile and the scene before for one scene of a digest, in two round trips."""
    owner = session_input.owner
    start_ms = millis(scene.episode_start)
    words = words_in("\n".join(line.text for line in text.lines if line.fresh))
    parameters = {
        "tenant": owner.tenant,
        "user_id": owner.user_id,
        "session": session,
        "start_ms": start_ms,
        "start": scene.episode_start,
        "query": scoped_query(
            words, fields=("name", "aliases"), scope_user=scope_token(owner.tenant, owner.user_id), days=False
        ),
        "names_max": NAMES_MAX,
        "aliases_max": ALIASES_MAX,
        "lines_max": LINES_MAX,
        "chars_max": LINE_CHARS_MAX,
    }
    (row,) = await graph.read(statement("consolidation/reading_context"), parameters)
    # Not what the local reader has found in this scene: the model would take it for known and leave it out.
    heard = min((one.received_at for one in scene.messages if one.received_at is not None), default=None)
    moments = AsOf(valid_at=scene.episode_end, known_at=heard - _INSTANT if heard else None)
    profile = await core_memory(graph, owner.tenant, owner.user_id, moments=moments, now=False)
    current = sorted((fact for fact in profile if fact.kind is not CoreKind.EARLIER), key=lambda fact: -fact.worth)
    lines, summary = _scene_before(row["before"], session_input, scene)
    return SceneContext(
        names=tuple(
            known_names((*row["matching"], *row["recent"]), (*owner.user_names, owner.user_id, owner.agent_id or ""))
        ),
        profile=tuple(
            within_chars(dict.fromkeys(fact.statement for fact in current), PROFILE_MAX, chars_max=PROFILE_CHARS_MAX)
        ),
        before=lines,
        before_summary=summary,
    )


def known_names(rows: Iterable[Mapping[str, Any]], ignore: Iterable[str]) -> Iterator[KnownName]:
    """Yield distinct names in order, at most `NAMES_MAX` with `NAMES_CHARS_MAX` characters; leave out `ignore`."""
    seen = set(map(name_key, ignore))
    left, count = NAMES_CHARS_MAX, 0
    for row in rows:
        key = name_key(row["name"])
        chars = len(row["name"]) + sum(map(len, row["aliases"]))
        if key in seen or chars > left:
            continue
        if count == NAMES_MAX:
            return
        seen.add(key)
        left, count = left - chars, count + 1
        yield KnownName(name=row["name"], entity_type=row["entity_type"], aliases=tuple(row["aliases"]))


def within_chars(texts: Iterable[str], texts_max: int, *, chars_max: int) -> Iterator[str]:
    """Yield the first texts, leaving out those that would exceed the characters."""
    left = chars_max
    for text in islice(texts, texts_max):
        if len(text) <= left:
            left -= len(text)
            yield text


def _scene_before(
    stored: Mapping[str, Any] | None, session_input: SessionInput, scene: Scene
) -> tuple[tuple[SceneLine, ...], str | None]:
    """Return the last lines and the abstract of the previous scene, which may belong to this digest."""
    earlier = [one for one in session_input.scenes if one.episode_start < scene.episode_start]
    newest = max(earlier, key=lambda one: (one.episode_start, one.id), default=None)
    if newest is not None and (stored is None or millis(newest.episode_start) >= stored["start_ms"]):
        summary = session_input.stored.get(newest.id, {}).get("abstract")
        return tuple(map(_line_of_message, newest.messages[-LINES_MAX:])), _cut(summary)
    if stored is None:
        return (), None
    return tuple(map(_line_of_row, stored["lines"])), _cut(stored["abstract"])


def _line_of_message(message: Message) -> SceneLine:
    text = message.text[:LINE_CHARS_MAX]
    return SceneLine(
        message_id=message.id,
        role=message.role,
        speaker=message.speaker,
        text=text,
        said_at=message.said_local,
        fresh=False,
    )


def _line_of_row(row: Mapping[str, Any]) -> SceneLine:
    return from_row(SceneLine, row, message_id=row["id"], role=Role(row["role"]), text=row["text"] or "", fresh=False)


def _cut(summary: str | None) -> str | None:
    return summary[:SUMMARY_CHARS_MAX] if summary else None
