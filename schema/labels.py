"""Node labels and structural relationship types."""

from enum import StrEnum


class Label(StrEnum):
    """All node labels. Nodes of the mind map have one of the first four, and `Memory`."""

    USER = "User"
    AGENT = "Agent"
    ENTITY = "Entity"
    SCENE = "Scene"
    MEMORY = "Memory"
    MESSAGE = "Message"
    EPISODE = "Episode"
    SESSION = "Session"
    SESSION_LIFECYCLE = "SessionLifecycle"
    JOB = "Job"
    CHANGE = "Change"
    REVISION = "Revision"
    MEMBER_ENTITY = "MemberEntity"
    MEMBER_FACT = "MemberFact"
    REJECTED_MERGE = "RejectedMerge"
    TENANT = "Tenant"
    FORGETTING = "Forgetting"
    MIGRATION = "Migration"
    ITEM = "Item"
    USAGE = "Usage"
    TOMBSTONE = "Tombstone"
    ACCESS_KEY = "AccessKey"


MIND_MAP_KINDS: tuple[Label, ...] = (Label.USER, Label.AGENT, Label.ENTITY, Label.SCENE)
_EXPORTED_BY_ID = (
    *(Label.SESSION, Label.SESSION_LIFECYCLE, Label.MESSAGE, Label.MEMORY, Label.MEMBER_ENTITY, Label.MEMBER_FACT),
    *(Label.EPISODE, Label.REJECTED_MERGE, Label.REVISION, Label.ITEM, Label.TOMBSTONE),
)
# Labels whose nodes an export contains, with the property that is unique in a tenant.
EXPORTED_KEYS: dict[Label, str] = dict.fromkeys(_EXPORTED_BY_ID, "id") | {Label.USAGE: "day", Label.CHANGE: "seq"}


class Link(StrEnum):
    """Structural relationship types, which facts never use."""

    PART_OF = "PART_OF"  # (Message)-[:PART_OF]->(Scene)
    IN_SESSION = "IN_SESSION"  # (Scene)-[:IN_SESSION]->(Session)
    MEMBER_OF = "MEMBER_OF"  # (MemberEntity)-[:MEMBER_OF]->(Entity)


class Role(StrEnum):
    """Speaker of a message; an event was not said, and its speaker is who took part, with commas between the names."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"
    EVENT = "event"
