"""Users, agents and entities: the subjects and objects of facts."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from schema.ids import MemoryId, TenantId, Uri, UserId, agent_uri, entity_uri, memory_id, name_key, user_uri
from schema.labels import Label


class EntityType(StrEnum):
    """Type of an entity, for display and filters; not part of its identity."""

    PERSON = "person"
    PLACE = "place"
    ORGANIZATION = "organization"
    WORK = "work"  # a book, film, song, game
    ANIMAL = "animal"
    FOOD = "food"
    ACTIVITY = "activity"
    THING = "thing"
    TIME = "time"
    TOPIC = "topic"


# What the viewer shows in Chinese; in English it shows the value, and so it does for a type that is not listed here.
ENTITY_TYPES_ZH: Final = {
    EntityType.PERSON: "人物",
    EntityType.PLACE: "地点",
    EntityType.ORGANIZATION: "机构",
    EntityType.WORK: "作品",
    EntityType.ANIMAL: "动物",
    EntityType.FOOD: "食物",
    EntityType.ACTIVITY: "活动",
    EntityType.THING: "物品",
    EntityType.TIME: "时间",
    EntityType.TOPIC: "话题",
}


def entity_type_choice() -> str:
    """Return the types of entities as a sentence names them: `person, place or topic`."""
    *most, last = EntityType
    return f"{', '.join(most)} or {last}"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntityRef:
    """Subject or object of a fact: a user, an agent or an entity.

    Attributes:
        name: display name; the user id for a user without a known name.
        key: `name_key(name)` for entities; the caller's id for users and agents.
    """

    id: MemoryId
    uri: Uri
    label: Label
    name: str
    key: str
    entity_type: EntityType | None = None


def the_user(tenant: TenantId, user_id: UserId, name: str | None = None) -> EntityRef:
    """Return the user who owns the memory."""
    uri = user_uri(tenant, user_id)
    return EntityRef(id=memory_id(uri), uri=uri, label=Label.USER, name=name or user_id, key=user_id)


def the_agent(tenant: TenantId, user_id: UserId, agent_id: str) -> EntityRef:
    uri = agent_uri(tenant, user_id, agent_id)
    return EntityRef(id=memory_id(uri), uri=uri, label=Label.AGENT, name=agent_id, key=agent_id)


def an_entity(tenant: TenantId, user_id: UserId, name: str, entity_type: EntityType | None = None) -> EntityRef:
    """Return an entity of one user's memory, identified by its name."""
    key = name_key(name)
    uri = entity_uri(tenant, user_id, key)
    return EntityRef(
        id=memory_id(uri), uri=uri, label=Label.ENTITY, name=name.strip(), key=key, entity_type=entity_type
    )


def stored_names(properties: Mapping[str, Any]) -> list[str]:
    """Return the name and the aliases from the properties of a user, agent or entity node."""
    return [properties["name"], *(properties.get("aliases") or ())]
