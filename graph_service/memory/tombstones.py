"""Marks of what was forgotten: a keyed hash each, so that it does not come back, and no word of it is kept."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import product
from typing import Any

from extraction.reader import ProposedFact, Reading
from extraction.text.name_forms import all_forms
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.entity_resolution.resolver import Owner, speaker_in
from schema.errors import NotFoundError
from schema.ids import MemoryId, TenantId, UserId, memory_id, name_key, session_uri, user_uri
from schema.message import Episode, Message
from schema.relations import canonical_relation


class TombstoneKind(StrEnum):
    """What was forgotten."""

    MESSAGE = "message"
    SESSION = "session"
    USER = "user"
    FACT = "fact"
    ENTITY = "entity"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTombstones:
    """What a user's memory must not learn again.

    Attributes:
        who: the user, as marks name them.
        marks: each with when it was made, milliseconds since 1970.
    """

    salt: str = ""
    who: str = ""
    marks: Mapping[str, int] = field(default_factory=dict)

    def without_forgotten(self, reading: Reading, messages: Sequence[Message], owner: Owner) -> Reading:
        """Return the reading without facts that were rejected, and without entities that were forgotten after they were
        named.

        A refused fact stays refused whenever it is said; an entity may be named anew by messages that come later.
        """
        if not self.marks:
            return reading
        heard_ms = [round((one.received_at or one.said_at).timestamp() * 1000) for one in messages]
        facts = [fact for fact in reading.facts if not self._refuses_fact(fact, heard_ms, owner)]
        mentions = [
            mention
            for mention in reading.mentions
            if not 0 <= mention.line < len(heard_ms) or not self._refuses_name(mention.name, heard_ms[mention.line])
        ]
        return replace(reading, facts=tuple(facts), mentions=tuple(mentions))

    def _refuses_fact(self, fact: ProposedFact, heard_ms: Sequence[int], owner: Owner) -> bool:
        ends = (spellings_of(fact.subject, owner), spellings_of(fact.object, owner))
        if not fact.closes and not self.marks.keys().isdisjoint(
            fact_tombstone_ids(self.salt, self.who, ends[0], fact.predicate, fact.relation, ends[1])
        ):
            return True
        last_ms = max((heard_ms[quote.line] for quote in fact.quotes if quote.line < len(heard_ms)), default=0)
        return any(self._refuses_name(name, last_ms) for name in (fact.subject, fact.object))

    def _refuses_name(self, name: str, heard_ms: int) -> bool:
        return any(
            heard_ms <= self.marks.get(mark, heard_ms - 1) for mark in entity_tombstone_ids(self.salt, self.who, [name])
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TombstoneKey:
    """How the marks of a tenant are made.

    Attributes:
        salt: the word that keys them.
        tenant: under whose name users are named in them: another tenant's where the memory was imported from it, since
            nobody can make marks anew without the words.
    """

    salt: str
    tenant: TenantId

    def who(self, user_id: UserId) -> str:
        """Return a user, as marks name them."""
        return memory_id(user_uri(self.tenant, user_id))


async def load_user_tombstones(graph: Graph, owner: Owner) -> UserTombstones:
    """Return what one user's memory must not learn again."""
    kinds = [TombstoneKind.FACT.value, TombstoneKind.ENTITY.value]
    parameters = {"tenant": owner.tenant, "user_node_id": owner.user.id, "kinds": kinds}
    rows = await graph.read(statement("tombstones/list_tombstones"), parameters)
    if not rows or rows[0]["salt"] is None:
        return UserTombstones()
    marking = TombstoneKey(salt=rows[0]["salt"], tenant=TenantId(rows[0]["marks_of"] or owner.tenant))
    marks = {mark: at_ms for mark, at_ms in rows[0]["marks"] if mark is not None}
    return UserTombstones(salt=marking.salt, who=marking.who(owner.user_id), marks=marks)


async def ensure_tombstone_key(graph: Graph, tenant: TenantId, new: str) -> TombstoneKey:
    """Return how the marks of a tenant are made; the word that keys them is made now if there is none.

    Args:
        new: a random word.

    Raises:
        NotFoundError: nothing was ever stored for the tenant.
    """
    parameters = {"tenant": tenant, "salt": new}

    async def steps(writing: Writing) -> list[dict[str, Any]]:
        return await writing.run(statement("tombstones/ensure_salt"), parameters)

    rows = await graph.write(steps)
    if not rows:
        raise NotFoundError("nothing is stored for this tenant, so there is nothing to forget")
    return TombstoneKey(salt=str(rows[0]["salt"]), tenant=TenantId(rows[0]["marks_of"] or tenant))


def tombstone_id(salt: str, kind: TombstoneKind, *parts: str) -> str:
    """Return the mark of something: without the salt nobody can tell of what."""
    text = "\x1f".join((kind.value, *parts))
    return hashlib.blake2b(text.encode(), key=salt.encode(), digest_size=20).hexdigest()


def spellings_of(name: str, owner: Owner) -> frozenset[str]:
    """Return one end of a fact in all its spellings; who speaks is one whatever they are called."""
    who = speaker_in(name, owner)
    return frozenset((who,)) if who else all_forms(name)


def fact_tombstone_ids(
    salt: str, who: str, subject: Iterable[str], predicate: str, relation: str | None, obj: Iterable[str]
) -> set[str]:
    """Return the marks of a fact, one for each pair of spellings of its ends."""
    told = (who, predicate, name_key(canonical_relation(relation) or ""))
    return {tombstone_id(salt, TombstoneKind.FACT, *told, *ends) for ends in product(sorted(subject), sorted(obj))}


def entity_tombstone_ids(salt: str, who: str, names: Iterable[str]) -> set[str]:
    """Return the marks of an entity, one for each spelling."""
    return {tombstone_id(salt, TombstoneKind.ENTITY, who, form) for name in names for form in all_forms(name)}


async def forgotten_message_ids(graph: Graph, episodes: Sequence[Episode]) -> list[Collection[str]]:
    """Return for each episode the ids of its messages that were forgotten after they came in.

    Asks twice for each tenant among them; once for one that has never forgotten anything.
    """
    forgotten: list[Collection[str]] = [() for _ in episodes]
    for tenant in dict.fromkeys(episode.tenant for episode in episodes):
        rows = await graph.read(
            statement("tombstones/list_tombstones"), {"tenant": tenant, "user_node_id": "", "kinds": []}
        )
        if not rows or rows[0]["salt"] is None:
            continue
        ours = [(place, _marks(rows[0]["salt"], one)) for place, one in enumerate(episodes) if one.tenant == tenant]
        ids = sorted({mark for _, (whole, single) in ours for mark in (*whole, *single)})
        marks = await graph.read(statement("tombstones/tombstones_by_id"), {"tenant": tenant, "ids": ids})
        at_ms = {row["id"]: row["at_ms"] for row in marks}
        for place, (whole, single) in ours:
            received_ms = round(episodes[place].received_at.timestamp() * 1000)
            found = {mark for mark in (*whole, *single) if at_ms.get(mark, received_ms - 1) >= received_ms}
            all_ids = list(single.values())
            forgotten[place] = all_ids if found & whole else [single[mark] for mark in single if mark in found]
    return forgotten


def _marks(salt: str, episode: Episode) -> tuple[set[str], dict[str, MemoryId]]:
    """Return the marks that an episode's user or session would have, and those of its messages with their ids."""
    user = memory_id(user_uri(episode.tenant, episode.user_id))
    session = memory_id(session_uri(episode.tenant, episode.user_id, episode.session_id))
    whole = {tombstone_id(salt, TombstoneKind.USER, user), tombstone_id(salt, TombstoneKind.SESSION, session)}
    return whole, {tombstone_id(salt, TombstoneKind.MESSAGE, message.id): message.id for message in episode.messages}
