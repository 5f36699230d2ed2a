"""Who and what the names in a reading are: the user, the agent, known entities, new ones."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from extraction.entities.matching import Candidate, Match, MatchKind, Shelf, person_words
from extraction.reader import THE_AGENT, THE_USER
from extraction.text.name_forms import all_forms
from graph_service.memory.argument_checks import text_problem
from graph_service.memory.change_log.payloads import node_body, node_view
from schema.change import Change, Op
from schema.entity import EntityRef, EntityType, an_entity, the_agent, the_user
from schema.ids import MemoryId, TenantId, UserId, name_key, scope_token
from schema.labels import Label, Role
from schema.limits import LIMITS

# What is told of an entity besides facts: a small map of words, kept as JSON text on its node. Pure.

ATTRIBUTES_MAX: Final = 16
NAME_CHARS_MAX: Final = 60
VALUE_CHARS_MAX: Final = 300


def with_attributes(known: str, told: Iterable[tuple[str, str]], *, newer: bool) -> str:
    """Return the map with what was told added; where both name the same, what was said later stays.

    Args:
        known: JSON text as stored; empty for none.
        newer: what was told was said after what is known. Names and values that cannot be stored are left out, and
            names beyond the bound too.
    """
    before: dict[str, str] = json.loads(known) if known else {}
    usable = {
        name.strip().casefold(): value.strip()
        for name, value in told
        if not text_problem(name, NAME_CHARS_MAX) and not text_problem(value, VALUE_CHARS_MAX)
    }
    merged = before | usable if newer else usable | before
    # What was known first keeps its place when there are too many.
    order = list(dict.fromkeys([*before, *usable]))[:ATTRIBUTES_MAX]
    kept = {name: merged[name] for name in sorted(order)}
    return json.dumps(kept, ensure_ascii=False, sort_keys=True) if kept else ""


_DEFAULT_AGENT = "assistant"
# The first so many are kept, so that what is stored does not change with every mention. A spelling beyond them still
# means its entity by its form; it is just not listed among the other names.
ALIASES_MAX: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Whose memory it is, and by which names the two who talk are known."""

    tenant: TenantId
    user_id: UserId
    user_names: tuple[str, ...]
    agent_id: str | None

    @property
    def user(self) -> EntityRef:
        """The user."""
        return the_user(self.tenant, self.user_id, self.user_names[0] if self.user_names else None)

    @property
    def agent(self) -> EntityRef:
        """The agent; one that has no id of its own is called `assistant`."""
        return the_agent(self.tenant, self.user_id, self.agent_id or _DEFAULT_AGENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class NameSeen:
    """A name, when it was said, and what was told of who bears it."""

    name: str
    said_at: datetime
    entity_type: EntityType | None = None
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRecord:
    """A being with what is stored about it, or will be.

    Attributes:
        changed: something differs from what the graph holds.
        attributes: JSON text of an object of strings; empty when nothing was told.
        root_id: the node of the map that stands for it, when it was merged.
    """

    being: EntityRef
    aliases: tuple[str, ...]
    first_seen: datetime
    last_seen: datetime
    changed: bool
    attributes: str = ""
    root_id: MemoryId | None = None


def resolve(
    names: Sequence[NameSeen], candidates: Sequence[EntityRecord], owner: Owner
) -> tuple[dict[str, EntityRef], list[EntityRecord]]:
    """For each usable name who it is, and all entities the names touch, ordered by id.

    Names are taken in the order they were said, and a new one becomes a candidate for those after it, so two spellings
    in one call meet as they would in two.
    """
    pool = {known.being.id: known for known in candidates}
    shelf = Shelf(map(_candidate, candidates))
    beings: dict[str, EntityRef] = {}
    touched: dict[MemoryId, EntityRecord] = {}
    for seen in sorted(names, key=lambda n: n.said_at):
        if speaker_in(seen.name, owner) is not None:
            beings[seen.name] = owner.user if speaker_in(seen.name, owner) == THE_USER else owner.agent
            continue
        if text_problem(seen.name, LIMITS.name_chars) or not name_key(seen.name):
            continue
        known = _meet(seen, pool, shelf, owner)
        if pool.get(known.being.id) != known:
            pool[known.being.id] = known
            shelf.put(_candidate(known))
        touched[known.being.id] = known
        beings[seen.name] = known.being
    return beings, [touched[name] for name in sorted(touched)]


def _candidate(known: EntityRecord) -> Candidate:
    being = known.being
    return Candidate(
        id=being.id,
        name=being.name,
        aliases=known.aliases,
        entity_type=being.entity_type,
        stands_for_it=known.root_id,
    )


def _meet(seen: NameSeen, pool: dict[MemoryId, EntityRecord], shelf: Shelf, owner: Owner) -> EntityRecord:
    found = shelf.match(seen.name, seen.entity_type)
    if found.verdict is not MatchKind.SAME or found.id is None:
        being = an_entity(owner.tenant, owner.user_id, seen.name, seen.entity_type)
        if being.id not in pool:
            told = with_attributes("", seen.attributes, newer=True)
            first = seen.said_at
            return EntityRecord(
                being=being, aliases=(), first_seen=first, last_seen=first, changed=True, attributes=told
            )
        # The same key makes the same id, so the name is spelled as it was.
        return _seen_again(pool[being.id], seen, new_spelling=False)
    return _seen_again(pool[MemoryId(found.id)], seen, new_spelling=_is_variant(found))


def _is_variant(found: Match) -> bool:
    """Return whether the mention is spelled as neither the name nor an alias is."""
    return found.score < 0.95


def _seen_again(known: EntityRecord, seen: NameSeen, *, new_spelling: bool) -> EntityRecord:
    aliases = known.aliases
    if new_spelling and len(aliases) < ALIASES_MAX:
        aliases = tuple(sorted({*aliases, seen.name}))
    being = replace(known.being, entity_type=known.being.entity_type or seen.entity_type)
    first_seen, last_seen = min(known.first_seen, seen.said_at), max(known.last_seen, seen.said_at)
    told = with_attributes(known.attributes, seen.attributes, newer=seen.said_at >= known.last_seen)
    new = replace(known, being=being, aliases=aliases, first_seen=first_seen, last_seen=last_seen, attributes=told)
    return replace(new, changed=True) if new != known else known


def entity_row(known: EntityRecord, owner: Owner) -> dict[str, Any]:
    """Return the row of `entity_resolution/put_entities` or `entity_resolution/put_agents`."""
    being = known.being
    return {
        "id": being.id,
        "properties": {
            "uri": being.uri,
            "user_id": owner.user_id,
            "name": being.name,
            "key": being.key,
            "aliases": list(known.aliases),
            "form_tokens": form_tokens(owner, [being.name, *known.aliases]),
            "entity_type": being.entity_type.value if being.entity_type else None,
            "attributes": known.attributes or None,
            "first_seen": known.first_seen,
            "last_seen": known.last_seen,
            "scope_user": scope_token(owner.tenant, owner.user_id),
        },
    }


def form_tokens(owner: Owner, names: Iterable[str]) -> list[str]:
    """Return one word for each form of the names, for the full-text index: names that may be one share a word."""
    forms = {form for name in names for form in all_forms(name)}
    return sorted(scope_token(owner.tenant, owner.user_id, form) for form in forms)


def being_change(row: dict[str, Any], label: Label, reason: str) -> Change:
    """Return the row of the change log for a being.

    Args:
        row: as `entity_row` gave it.
    """
    view = node_view({**row["properties"], "id": row["id"]}, label.value)
    return Change(op=Op.NODE_PUT, element_id=row["id"], body=node_body(view), reason=reason)


def speaker_in(name: str, owner: Owner) -> str | None:
    """`THE_USER` or `THE_AGENT` when a name means one of the two; None for any other."""
    if name in (THE_USER, THE_AGENT):
        return name
    if name_key(name) in {name_key(owner.user_id), *map(name_key, owner.user_names)}:
        return THE_USER
    if owner.agent_id is not None and name_key(name) == name_key(owner.agent_id):
        return THE_AGENT
    return person_words(name, Role.USER)
