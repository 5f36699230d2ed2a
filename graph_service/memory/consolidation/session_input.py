"""What a digest works on: the unread messages of a session, their scenes, and the facts brought with them."""

import contextlib
import json
import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from extraction.embeddings.embedder import Embedder, spoken
from extraction.reader import ProposedFact, Quote, Reading, SceneLine, SceneText
from extraction.text.topic_shift import Topic, terms_of
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.segmentation import SceneRules, assign, span_pauses
from graph_service.memory.entity_resolution.resolver import Owner
from graph_service.memory.jobs.outbox import JobClaim
from schema.entity import EntityType
from schema.errors import BrokenDataError, MnemographError
from schema.fact import FactDetail, FactKind
from schema.failure import failure_of
from schema.ids import MemoryId, TenantId, UserId, content_hash
from schema.labels import Role
from schema.message import Message
from schema.scene import Scene
from schema.telling import Stated

# What messages are about, as far as scenes need it: by words, and by vectors where those tell something.

_log = logging.getLogger("mnemograph.scenes")


async def topics_of(messages: Sequence[Message], embedder: Embedder | None) -> dict[MemoryId, Topic]:
    """Return the topic of each message; by words alone while the embedder is away, because scenes do not wait for it.

    The same texts are embedded for search, so with a cache around the embedder nothing is computed twice.
    """
    vectors: dict[MemoryId, NDArray[np.float64]] = {}
    if embedder and messages:
        try:
            found = await embedder.embed([spoken(message.speaker, message.text) for message in messages])
            vectors = {message.id: np.asarray(vector) for message, vector in zip(messages, found, strict=True)}
        except MnemographError as error:
            _log.warning("scenes are cut by words alone: %s", error)
    return {message.id: Topic(terms=terms_of(message.text), vector=vectors.get(message.id)) for message in messages}


_MESSAGES_MAX = 500
# One digest reads so much; the rest is the next one's, after others had their turn.
_CHARS_MAX = 60_000
# Calls with facts that one digest takes in beside those of its messages, messages that all may name, and characters of
# their facts: about 1,000, a few calls at their limits.
_EPISODES_MAX = 50
_TOLD_MAX = 1_000
_FACTS_CHARS_MAX = 500_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvidedEpisode:
    """Facts and a summary that a caller handed in with some messages."""

    id: str
    message_ids: tuple[MemoryId, ...]
    facts: tuple[dict[str, Any], ...]
    summary: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionInput:
    """Everything one digest of a session reads.

    Attributes:
        revision: how often this user's memory had been written.
        scenes: those that gain messages, those that brought facts speak of, and those that wait for their reading or
            for texts of all their messages; oldest first.
        changed: ids of the first two.
        newest_ms: when the latest scene of the session begins, milliseconds since 1970.
        stored: properties of the scenes that are stored already, by id.
        fresh: ids of messages that nobody has read yet.
        brought: unread first, then what came earlier with messages of the same scenes.
        episodes: ids of what was brought and is read now.
        more: unread messages, or facts brought, are left for the next digest.
    """

    owner: Owner
    user_properties: Mapping[str, Any]
    revision: int
    session_uri: str
    scenes: tuple[Scene, ...]
    changed: frozenset[MemoryId]
    newest_ms: int
    stored: Mapping[str, Mapping[str, Any]]
    fresh: frozenset[MemoryId]
    brought: tuple[ProvidedEpisode, ...]
    episodes: tuple[str, ...]
    more: bool


async def load_session_input(
    graph: Graph,
    held: JobClaim,
    rules: SceneRules,
    embedder: Embedder | None,
    *,
    owed: bool = False,
    until_ms: int | None = None,
) -> SessionInput | None:
    """Return the text to digest, or None when everything was read before.

    Raises:
        BrokenDataError: what is stored lacks something; the message names the node.

    Args:
        embedder: tells where a topic ends; None leaves that to the words.
        owed: scenes that wait for an overview by a model come too.
        until_ms: only what was said before, milliseconds since 1970; None for all of it.
    """
    pause_ms = round(rules.pause_s * 1000)
    wanted = {"pause_ms": pause_ms, "span_ms": pause_ms * span_pauses(rules), "owed": owed, "until_ms": until_ms}
    bounds = {
        "messages_max": _MESSAGES_MAX,
        "chars_max": _CHARS_MAX,
        "episodes_max": _EPISODES_MAX,
        "facts_chars_max": _FACTS_CHARS_MAX,
        "told_max": _TOLD_MAX,
    }
    parameters = {"tenant": held.tenant, "session": held.session, **bounds, **wanted}
    rows = await graph.read(statement("consolidation/session_input"), parameters)
    if not rows:
        return None
    row = rows[0]
    marks = ("unextracted", "layers_behind", *(["overview_owed"] if owed else []))
    waiting = {scene["id"] for scene in row["scenes"] if any(scene["properties"][mark] for mark in marks)}
    if not (row["messages"] or row["episodes"] or waiting):
        return None
    near = row["scenes"]
    with understanding(f"session {held.session}"):
        unread = [_message(message) for message in row["messages"]]
        unread_episodes = tuple(_brought(episode) for episode in row["episodes"])
        known = [_scene(scene) for scene in near]
        owner = _owner(held.tenant, row)
    brought = unread_episodes + await _earlier_episodes(graph, held, [*near, row], unread_episodes)
    together = [message for scene in known for message in scene.messages] + unread
    # Shorter ones end by pauses alone.
    topics = await topics_of(together, embedder) if len(together) >= rules.messages_min // 2 else {}
    changed = assign(row["session_uri"], unread, known, rules, topics)
    spoken_of = {message_id for episode in unread_episodes for message_id in episode.message_ids}
    ids = {scene.id for scene in changed}
    also = [s for s in known if s.id not in ids and any(message.id in spoken_of for message in s.messages)]
    ids |= {scene.id for scene in also}
    also += [scene for scene in known if scene.id in waiting - ids]
    scenes = sorted([*changed, *also], key=lambda scene: (scene.episode_start, scene.id))
    starts = [round(scene.episode_start.timestamp() * 1000) for scene in scenes]
    return SessionInput(
        owner=owner,
        user_properties=row["user_properties"],
        revision=row["revision"],
        session_uri=row["session_uri"],
        scenes=tuple(scenes),
        changed=frozenset(ids),
        newest_ms=max([*starts, row["newest_ms"] or 0]),
        stored={scene["id"]: scene["properties"] for scene in near},
        fresh=frozenset(message.id for message in unread),
        brought=brought,
        episodes=tuple(episode.id for episode in unread_episodes),
        # Where no episode could be taken, their messages come first, or are not asked for now.
        more=row["messages_left"] or (bool(unread_episodes) and row["episodes_left"]),
    )


def _owner(tenant: TenantId, row: Mapping[str, Any]) -> Owner:
    user = row["user_properties"]
    # What the user told in a conversation holds from then on only; `memory/own_names.py` knows.
    told = set(user.get("called") or ())
    names = dict.fromkeys([user["name"], *(name for name in user["aliases"] if name not in told)])
    return Owner(
        tenant=tenant,
        user_id=UserId(row["user_id"]),
        user_names=tuple(name for name in names if name),
        agent_id=row["agent_id"],
    )


async def _earlier_episodes(
    graph: Graph, held: JobClaim, near: Sequence[Mapping[str, Any]], unread: Sequence[ProvidedEpisode]
) -> tuple[ProvidedEpisode, ...]:
    """Return what was brought before with messages that are read; a scene is always read as a whole."""
    ids = {message["episode_id"] for scene in near for message in scene["messages"] if message["episode_id"]}
    ids -= {episode.id for episode in unread}
    if not ids:
        return ()
    rows = await graph.read(statement("consolidation/episodes_by_id"), {"tenant": held.tenant, "ids": sorted(ids)})
    with understanding(f"session {held.session}"):
        return tuple(_brought(row) for row in rows)


@contextlib.contextmanager
def understanding(what: str) -> Iterator[None]:
    """Raise `BrokenDataError` for anything inside the block that what is stored lacks, naming what it belongs to."""
    try:
        yield
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        place = failure_of(error)
        raise BrokenDataError(
            f"what is stored of {what} lacks what belongs to it ({place.kind} in {place.where}); see whether an import"
            " or another program left it, set it right or forget it, and try the work again"
        ) from error


def scene_text(text: SessionInput, scene: Scene, covered: Collection[MemoryId]) -> SceneText:
    """Return the scene as a reader gets it; messages that came with facts are context, because the caller has read
    them.

    Args:
        covered: those messages.
    """
    owner = text.owner
    return SceneText(
        user_names=owner.user_names,
        agent_names=(owner.agent_id,) if owner.agent_id else (),
        lines=tuple(
            SceneLine(
                message_id=message.id,
                role=message.role,
                speaker=message.speaker,
                text=message.text,
                said_at=message.said_local,
                fresh=message.id not in covered,
            )
            for message in scene.messages
        ),
    )


@dataclass(slots=True)
class _BroughtOnce:
    """What came in one call, by message.

    Attributes:
        places: where it names a message; chosen: facts that name it, each with where; whole: facts of all its messages.
    """

    places: dict[MemoryId, list[int]] = field(default_factory=dict)
    chosen: dict[MemoryId, list[tuple[int, int]]] = field(default_factory=dict)
    whole: list[int] = field(default_factory=list)


class ProvidedByMessage:
    """What callers brought, by the messages it is about: no scene goes through all of it.

    Raises:
        BrokenDataError: a fact that was brought lacks something.
    """

    def __init__(self, session: str, brought: Sequence[ProvidedEpisode]) -> None:
        self.covered = frozenset(name for one in brought if one.facts for name in one.message_ids)
        self._brought = brought
        self._calls: dict[MemoryId, list[int]] = {}
        for number, one in enumerate(brought):
            for name in dict.fromkeys(one.message_ids):
                self._calls.setdefault(name, []).append(number)
        with understanding(f"the facts brought to session {session}"):
            self._once = [_by_message(one) for one in brought]

    def reading(self, scene: Scene) -> Reading:
        """Return what callers brought about the messages of one scene.

        Raises:
            BrokenDataError: a fact that was brought lacks something.
        """
        lines = {message.id: line for line, message in enumerate(scene.messages)}
        calls = sorted({number for name in lines for number in self._calls.get(name, ())})
        facts: list[ProposedFact] = []
        with understanding(f"the facts brought with scene {scene.id}"):
            for number in calls:
                brought, quotes = self._brought[number].facts, _quotes(self._once[number], lines)
                facts += [_proposal(brought[fact], quotes[fact]) for fact in sorted(quotes)]
        summaries = [summary for number in calls if (summary := self._brought[number].summary)]
        return Reading(reader="caller", facts=tuple(facts), summary=summaries[-1] if summaries else None)


def _by_message(brought: ProvidedEpisode) -> _BroughtOnce:
    once = _BroughtOnce()
    for place, name in enumerate(brought.message_ids):
        once.places.setdefault(name, []).append(place)
    for number, fact in enumerate(brought.facts):
        if not fact["message_indexes"]:
            once.whole.append(number)
        for rank, place in enumerate(fact["message_indexes"] or ()):
            once.chosen.setdefault(brought.message_ids[place], []).append((number, rank))
    return once


def _quotes(once: _BroughtOnce, lines: Mapping[MemoryId, int]) -> dict[int, tuple[Quote, ...]]:
    """Return the lines of a scene that prove each fact of a call, in the order in which the call names them."""
    together = sorted((place, line) for name, line in lines.items() for place in once.places.get(name, ()))
    whole = tuple(Quote(line=line) for _, line in together)
    chosen: dict[int, list[tuple[int, int]]] = {}
    for name, line in lines.items():
        for number, rank in once.chosen.get(name, ()):
            chosen.setdefault(number, []).append((rank, line))
    quotes = {number: tuple(Quote(line=line) for _, line in sorted(said)) for number, said in chosen.items()}
    return quotes | dict.fromkeys(once.whole, whole)


def _proposal(fact: Mapping[str, Any], quotes: tuple[Quote, ...]) -> ProposedFact:
    return ProposedFact(
        subject=fact["subject"],
        predicate=fact["predicate"],
        object=fact["object"],
        statement=fact["statement"],
        quotes=quotes,
        relation=fact["relation"],
        subject_type=entity_type(fact["subject_type"]),
        object_type=entity_type(fact["object_type"]),
        strength=fact["strength"],
        confidence=fact["confidence"],
        valid_at=_moment(fact["valid_at"]),
        invalid_at=_moment(fact["invalid_at"]),
        trigger_emotion=fact["trigger_emotion"],
        importance=fact.get("importance"),
        stated=(stated := _stated(fact)),
        closes=stated is Stated.REJECTS,
        detail=FactDetail(
            kind=FactKind(fact.get("kind") or FactKind.FACT),
            rationale=fact.get("rationale"),
            steps=tuple(fact.get("steps") or ()),
            mentioned_start=_moment(fact.get("mentioned_start")),
            mentioned_end=_moment(fact.get("mentioned_end")),
        ),
    )


def _stated(fact: Mapping[str, Any]) -> Stated | None:
    return Stated(fact["stated"]) if fact.get("stated") else None


def entity_type(word: str | None) -> EntityType | None:
    """Return the entity type of that name; None for no word or one that is not a type."""
    cleaned = (word or "").strip().casefold()
    return EntityType(cleaned) if cleaned in tuple(EntityType) else None


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _brought(row: Mapping[str, Any]) -> ProvidedEpisode:
    facts = tuple(json.loads(row["facts"]))
    return ProvidedEpisode(id=row["id"], message_ids=tuple(row["message_ids"]), facts=facts, summary=row["summary"])


def _message(row: Mapping[str, Any]) -> Message:
    if not all(isinstance(row[name], str) for name in ("id", "uri", "text", "content_hash")):
        raise BrokenDataError(f"message {row['id']} is stored without its text, its hash or its address")
    if type(row["position"]) is not int:
        raise BrokenDataError(f"message {row['id']} is stored without its position")
    return Message(
        id=row["id"],
        uri=row["uri"],
        role=Role(row["role"]),
        text=row["text"],
        said_at=datetime.fromisoformat(row["said_at"]),
        content_hash=row["content_hash"],
        position=row["position"],
        speaker=row["speaker"],
        importance=row["importance"],
        zone=row["zone"],
        mentioned_start=_moment(row["mentioned_start"]),
        mentioned_end=_moment(row["mentioned_end"]),
        received_at=_moment(row["received_at"]),
    )


def _scene(row: Mapping[str, Any]) -> Scene:
    messages = tuple(_message(message) for message in row["messages"])
    parts = (part for message in messages for part in (message.id, message.content_hash))
    return Scene(id=row["id"], uri=row["uri"], messages=messages, content_hash=content_hash(*parts))
