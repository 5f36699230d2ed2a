"""Names of nodes and of the links that are structure, not knowledge."""

from enum import StrEnum


class Label(StrEnum):
    """Every node label. The first four make the mind map and carry `Memory` too; the others are below or beside it."""

    USER = "User"
    AGENT = "Agent"
    ENTITY = "Entity"
    SCENE = "Scene"
    MEMORY = "Memory"
    MESSAGE = "Message"
    EPISODE = "Episode"
    SESSION = "Session"
    SESSION_LIFE = "SessionLife"
    JOB = "Job"
    CHANGE = "Change"
    REVISION = "Revision"
    HELD_ENTITY = "HeldEntity"
    HELD_FACT = "HeldFact"
    KEPT_APART = "KeptApart"
    TENANT = "Tenant"
    MIGRATION = "Migration"
    USAGE = "Usage"
    TOMBSTONE = "Tombstone"
    ACCESS_KEY = "AccessKey"


MIND_MAP_KINDS: tuple[Label, ...] = (Label.USER, Label.AGENT, Label.ENTITY, Label.SCENE)


class Link(StrEnum):
    """Links that hold the store together; facts never use them."""

    PART_OF = "PART_OF"  # (Message)-[:PART_OF]->(Scene)
    IN_SESSION = "IN_SESSION"  # (Scene)-[:IN_SESSION]->(Session)
    STANDS_FOR = "STANDS_FOR"  # (HeldEntity)-[:STANDS_FOR]->(Entity)


class Role(StrEnum):
    """Who speaks in a message."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"
