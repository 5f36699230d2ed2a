"""Read tombstones: keyed hashes of forgotten elements, which prevent storing them again and reveal no content."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import product

from extraction.reader import ProposedFact, Reading
from extraction.text.name_forms import all_forms
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.entity_resolution.resolver import Owner, speaker_in
from schema.errors import NotFoundError
from schema.ids import MemoryId, TenantId, UserId, memory_id, name_key, session_uri, user_uri
from schema.message import Episode, Message
from schema.relations import canonical_relation
from schema.timespan import millis


class TombstoneKind(StrEnum):
    """Kind of a forgotten element."""

    MESSAGE = "message"
    SESSION = "session"
    USER = "user"
    FACT = "fact"
    ENTITY = "entity"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserTombstones:
    """Tombstones of one user's facts and entities.

    Attributes:
        user: the user's id in the hashes.
        created_ms: creation time by tombstone id, in milliseconds since 1970.
    """

    salt: str = ""
    user: str = ""
    created_ms: Mapping[str, int] = field(default_factory=dict)

    def without_forgotten(self, reading: Reading, messages: Sequence[Message], owner: Owner) -> Reading:
        """Remove forgotten facts, and entities forgotten after the messages that name them were received.

        A forgotten fact is always removed; a forgotten entity may be mentioned again by later messages.
        """
        if not self.created_ms:
            return reading
        received_ms = [millis(one.received_at or one.said_at) for one in messages]
        facts = [fact for fact in reading.facts if not self._is_forgotten_fact(fact, received_ms, owner)]
        mentions = [
            mention
            for mention in reading.mentions
            if not 0 <= mention.line < len(received_ms)
            or not self._is_forgotten_name(mention.name, received_ms[mention.line])
        ]
        return replace(reading, facts=tuple(facts), mentions=tuple(mentions))

    def _is_forgotten_fact(self, fact: ProposedFact, received_ms: Sequence[int], owner: Owner) -> bool:
        subject, obj = spellings_of(fact.subject, owner), spellings_of(fact.object, owner)
        ids = fact_tombstone_ids(self.salt, self.user, subject, fact.predicate, fact.relation, obj)
        if not fact.closes and not self.created_ms.keys().isdisjoint(ids):
            return True
        last_ms = max((received_ms[quote.line] for quote in fact.quotes if quote.line < len(received_ms)), default=0)
        return any(self._is_forgotten_name(name, last_ms) for name in (fact.subject, fact.object))

    def _is_forgotten_name(self, name: str, received_ms: int) -> bool:
        ids = entity_tombstone_ids(self.salt, self.user, [name])
        return any(received_ms <= self.created_ms.get(tombstone, received_ms - 1) for tombstone in ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class TombstoneKey:
    """Inputs of a tenant's tombstone hashes.

    Attributes:
        salt: the hash key.
        tenant: tenant of the user ids in the hashes; after an import that of the source, because hashes cannot be
            computed again without the forgotten text.
    """

    salt: str
    tenant: TenantId

    def user_key(self, user_id: UserId) -> str:
        """Return the id that represents the user in the hashes."""
        return memory_id(user_uri(self.tenant, user_id))


async def load_user_tombstones(graph: Graph, owner: Owner) -> UserTombstones:
    """Return the fact and entity tombstones of one user."""
    kinds = [TombstoneKind.FACT.value, TombstoneKind.ENTITY.value]
    parameters = {"tenant": owner.tenant, "user_node_id": owner.user.id, "kinds": kinds}
    rows = await graph.read(statement("tombstones/list_tombstones"), parameters)
    if not rows or rows[0]["salt"] is None:
        return UserTombstones()
    key = TombstoneKey(salt=rows[0]["salt"], tenant=TenantId(rows[0]["tombstone_tenant"] or owner.tenant))
    created_ms = {tombstone: at_ms for tombstone, at_ms in rows[0]["marks"] if tombstone is not None}
    return UserTombstones(salt=key.salt, user=key.user_key(owner.user_id), created_ms=created_ms)


async def ensure_tombstone_key(graph: Graph, tenant: TenantId, new: str, *, create: bool = False) -> TombstoneKey:
    """Return the tombstone key of a tenant, creating its salt if there is none.

    Args:
        new: a random string.
        create: create the tenant if nothing was ever stored for it.

    Raises:
        NotFoundError: nothing was ever stored for the tenant.
    """
    parameters = {"tenant": tenant, "salt": new, "create": create}
    rows = await graph.run(statement("tombstones/ensure_salt"), parameters)
    if not rows:
        raise NotFoundError("nothing is stored for this tenant, so there is nothing to forget")
    return TombstoneKey(salt=str(rows[0]["salt"]), tenant=TenantId(rows[0]["tombstone_tenant"] or tenant))


def tombstone_id(salt: str, kind: TombstoneKind, *parts: str) -> str:
    """Return the id of a tombstone: a hash that reveals nothing without the salt."""
    text = "\x1f".join((kind.value, *parts))
    return hashlib.blake2b(text.encode(), key=salt.encode(), digest_size=20).hexdigest()


def spellings_of(name: str, owner: Owner) -> frozenset[str]:
    """Return all spellings of a subject or object; user and agent have one, independent of their names."""
    speaker = speaker_in(name, owner)
    return frozenset((speaker,)) if speaker else all_forms(name)


def fact_tombstone_ids(
    salt: str, user: str, subject: Iterable[str], predicate: str, relation: str | None, obj: Iterable[str]
) -> set[str]:
    """Return the tombstone ids of a fact, one for each pair of spellings of subject and object."""
    key = (user, predicate, name_key(canonical_relation(relation) or ""))
    return {tombstone_id(salt, TombstoneKind.FACT, *key, *ends) for ends in product(sorted(subject), sorted(obj))}


def entity_tombstone_ids(salt: str, user: str, names: Iterable[str]) -> set[str]:
    """Return the tombstone ids of an entity, one for each spelling."""
    return {tombstone_id(salt, TombstoneKind.ENTITY, user, form) for name in names for form in all_forms(name)}


async def forgotten_message_ids(graph: Graph, episodes: Sequence[Episode]) -> list[Collection[str]]:
    """Return for each episode the ids of its messages that were forgotten after they were received.

    Two reads for each tenant; one if it has no tombstones.
    """
    forgotten: list[Collection[str]] = [() for _ in episodes]
    for tenant in dict.fromkeys(episode.tenant for episode in episodes):
        rows = await graph.read(
            statement("tombstones/list_tombstones"), {"tenant": tenant, "user_node_id": "", "kinds": []}
        )
        if not rows or rows[0]["salt"] is None:
            continue
        of_tenant = [
            (index, _tombstone_ids(rows[0]["salt"], episode))
            for index, episode in enumerate(episodes)
            if episode.tenant == tenant
        ]
        ids = sorted({tombstone for _, (whole, single) in of_tenant for tombstone in (*whole, *single)})
        found_rows = await graph.read(statement("tombstones/tombstones_by_id"), {"tenant": tenant, "ids": ids})
        at_ms = {row["id"]: row["at_ms"] for row in found_rows}
        for index, (whole, single) in of_tenant:
            received_ms = millis(episodes[index].received_at)
            found = {one for one in (*whole, *single) if at_ms.get(one, received_ms - 1) >= received_ms}
            all_ids = list(single.values())
            forgotten[index] = all_ids if found & whole else [single[one] for one in single if one in found]
    return forgotten


def _tombstone_ids(salt: str, episode: Episode) -> tuple[set[str], dict[str, MemoryId]]:
    """Return the tombstone ids of an episode's user and session, and those of its messages with the message ids."""
    user = memory_id(user_uri(episode.tenant, episode.user_id))
    session = memory_id(session_uri(episode.tenant, episode.user_id, episode.session_id))
    whole = {tombstone_id(salt, TombstoneKind.USER, user), tombstone_id(salt, TombstoneKind.SESSION, session)}
    return whole, {tombstone_id(salt, TombstoneKind.MESSAGE, message.id): message.id for message in episode.messages}
