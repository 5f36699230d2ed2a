"""Resolve extracted names to the user, the agent, stored entities or new ones. Pure."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from extraction.entities.matching import MatchKind, NameIndex, person_words
from extraction.reader import THE_AGENT, THE_USER
from extraction.text.name_forms import all_forms
from graph_service.memory.argument_checks import text_problem
from schema.entity import EntityRef, EntityType, an_entity, the_agent, the_user
from schema.ids import MemoryId, TenantId, UserId, name_key, scope_token
from schema.labels import Role
from schema.limits import LIMITS

ATTRIBUTES_MAX: Final = 16
NAME_CHARS_MAX: Final = 60
VALUE_CHARS_MAX: Final = 300


def with_attributes(stored: str, given: Iterable[tuple[str, str]], *, newer: bool) -> str:
    """Merge new attributes of an entity into the stored ones; the later value of a name wins.

    Invalid names and values are dropped, and so are new names beyond `ATTRIBUTES_MAX`.

    Args:
        stored: a JSON object of strings; empty for none.
        newer: the new attributes were mentioned after the stored ones.
    """
    current: dict[str, str] = json.loads(stored) if stored else {}
    valid = {
        name.strip().casefold(): value.strip()
        for name, value in given
        if not text_problem(name, NAME_CHARS_MAX) and not text_problem(value, VALUE_CHARS_MAX)
    }
    combined = current | valid if newer else valid | current
    # Stored names take precedence over new ones.
    names = list(dict.fromkeys([*current, *valid]))[:ATTRIBUTES_MAX]
    attributes = {name: combined[name] for name in names}
    return json.dumps(attributes, ensure_ascii=False, sort_keys=True) if attributes else ""


_DEFAULT_AGENT = "assistant"
# Only the first aliases are stored, so that the node does not change with every mention. Further spellings still match
# by their normalised form.
ALIASES_MAX: Final = 64
# Of a mention that equals the name or an alias.
_SPELLING_SCORE: Final = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The user who owns a memory, with their names and the agent that they talk to."""

    tenant: TenantId
    user_id: UserId
    user_names: tuple[str, ...]
    agent_id: str | None

    @property
    def user(self) -> EntityRef:
        """Return the user's entity."""
        return the_user(self.tenant, self.user_id, self.user_names[0] if self.user_names else None)

    @property
    def agent(self) -> EntityRef:
        """Return the agent's entity, named `assistant` if the agent has no id."""
        return the_agent(self.tenant, self.user_id, self.agent_id or _DEFAULT_AGENT)


@dataclass(frozen=True, slots=True, kw_only=True)
class NameMention:
    """A mentioned name, the time of the mention, and the attributes given with it."""

    name: str
    said_at: datetime
    entity_type: EntityType | None = None
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRecord:
    """An entity with its stored properties, or those to store.

    Attributes:
        changed: differs from the stored entity.
        attributes: a JSON object of strings; empty for none.
        root_id: the node that represents it, if it is merged.
    """

    entity: EntityRef
    aliases: tuple[str, ...]
    first_seen: datetime
    last_seen: datetime
    changed: bool
    attributes: str = ""
    root_id: MemoryId | None = None


def resolve(
    names: Sequence[NameMention], candidates: Sequence[EntityRecord], owner: Owner
) -> tuple[dict[str, EntityRef], list[EntityRecord]]:
    """Return the entity of each valid name, and the records of all named entities ordered by id.

    Names are processed in the order of their mentions, and each new entity becomes a candidate for later names, so that
    two spellings match within one call just as in two calls.
    """
    records = {record.entity.id: record for record in candidates}
    index = NameIndex()
    for record in candidates:
        index.put(record.entity, record.aliases, record.root_id)
    resolved: dict[str, EntityRef] = {}
    touched: dict[MemoryId, EntityRecord] = {}
    for mention in sorted(names, key=lambda n: n.said_at):
        if speaker_in(mention.name, owner) is not None:
            resolved[mention.name] = owner.user if speaker_in(mention.name, owner) == THE_USER else owner.agent
            continue
        if text_problem(mention.name, LIMITS.name_chars) or not name_key(mention.name):
            continue
        record = _match_or_create(mention, records, index, owner)
        if records.get(record.entity.id) != record:
            records[record.entity.id] = record
            index.put(record.entity, record.aliases, record.root_id)
        touched[record.entity.id] = record
        resolved[mention.name] = record.entity
    return resolved, [touched[name] for name in sorted(touched)]


def _match_or_create(
    mention: NameMention, records: dict[MemoryId, EntityRecord], index: NameIndex, owner: Owner
) -> EntityRecord:
    match = index.match(mention.name, mention.entity_type)
    if match.verdict is not MatchKind.SAME or match.id is None:
        entity = an_entity(owner.tenant, owner.user_id, mention.name, mention.entity_type)
        if entity.id not in records:
            given = with_attributes("", mention.attributes, newer=True)
            first = mention.said_at
            return EntityRecord(
                entity=entity, aliases=(), first_seen=first, last_seen=first, changed=True, attributes=given
            )
        # The id is derived from the normalised name, so this is not a new spelling.
        return _updated(records[entity.id], mention, new_spelling=False)
    return _updated(records[MemoryId(match.id)], mention, new_spelling=match.score < _SPELLING_SCORE)


def _updated(record: EntityRecord, mention: NameMention, *, new_spelling: bool) -> EntityRecord:
    aliases = record.aliases
    if new_spelling and len(aliases) < ALIASES_MAX:
        aliases = tuple(sorted({*aliases, mention.name}))
    entity = replace(record.entity, entity_type=record.entity.entity_type or mention.entity_type)
    first_seen, last_seen = min(record.first_seen, mention.said_at), max(record.last_seen, mention.said_at)
    given = with_attributes(record.attributes, mention.attributes, newer=mention.said_at >= record.last_seen)
    new = replace(record, entity=entity, aliases=aliases, first_seen=first_seen, last_seen=last_seen, attributes=given)
    return replace(new, changed=True) if new != record else record


def entity_row(record: EntityRecord, owner: Owner) -> dict[str, Any]:
    """Return the row of `entity_resolution/put_entities` or `entity_resolution/put_agents`."""
    entity = record.entity
    return {
        "id": entity.id,
        "properties": {
            "uri": entity.uri,
            "user_id": owner.user_id,
            "name": entity.name,
            "key": entity.key,
            "aliases": list(record.aliases),
            "form_tokens": form_tokens(owner, [entity.name, *record.aliases]),
            "entity_type": entity.entity_type.value if entity.entity_type else None,
            "attributes": record.attributes or None,
            "first_seen": record.first_seen,
            "last_seen": record.last_seen,
            "scope_user": scope_token(owner.tenant, owner.user_id),
        },
    }


def form_tokens(owner: Owner, names: Iterable[str]) -> list[str]:
    """Return one token for each normalised form of the names, for the full-text index: matching names share a token."""
    forms = {form for name in names for form in all_forms(name)}
    return sorted(scope_token(owner.tenant, owner.user_id, form) for form in forms)


def speaker_in(name: str, owner: Owner) -> str | None:
    """Return `THE_USER` or `THE_AGENT` if the name refers to one of them, else None."""
    if name in (THE_USER, THE_AGENT):
        return name
    if name_key(name) in {name_key(owner.user_id), *map(name_key, owner.user_names)}:
        return THE_USER
    if owner.agent_id is not None and name_key(name) == name_key(owner.agent_id):
        return THE_AGENT
    return person_words(name, Role.USER)
