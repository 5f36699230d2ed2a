"""What a reader gets (the text of a scene) and gives back (a reading: proposals, nothing decided)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from schema.entity import EntityType
from schema.fact import PLAIN_FACT, FactDetail
from schema.ids import MemoryId
from schema.labels import Role
from schema.telling import Stated

# How proposals name the two who talk, whatever the text called them (I, me, my, 我, 用户, their own name).
THE_USER = "@user"
THE_AGENT = "@agent"


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneLine:
    """One message of a scene, as a reader sees it.

    Attributes:
        fresh: facts are read from fresh lines only; the others were read before and are context.
    """

    message_id: MemoryId
    role: Role
    speaker: str | None
    text: str
    said_at: datetime
    fresh: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneText:
    """A scene for reading, oldest line first.

    Attributes:
        user_names: how the user is called in the text, best first; may be empty.
        known_names: names of entities already in this user's memory, for spelling.
    """

    user_names: tuple[str, ...]
    agent_names: tuple[str, ...]
    lines: tuple[SceneLine, ...]
    known_names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Where a proposal was read: the line's index in the scene, and characters of its text (None: all of it)."""

    line: int
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A person, place, thing or idea that a line names.

    Attributes:
        attributes: what the line tells of it besides facts, as pairs of name and value.
    """

    name: str
    line: int
    entity_type: EntityType | None = None
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedFact:
    """A fact as it was read; nothing about it has been checked.

    Attributes:
        subject: a name, or `THE_USER` or `THE_AGENT`; `object` likewise.
        closes: the text says that this no longer holds.
        valid_at: when it began to hold, if the text says so; None means when the line was said.
        valid_by: when it had begun at the latest, if the text names a time that lasts ("last month").
        importance: 1 to 10; None when the reader does not judge it, and the strength stands for it.
        stated: a person states it by hand.
    """

    subject: str
    predicate: str
    object: str
    statement: str
    quotes: tuple[Quote, ...]
    relation: str | None = None
    subject_type: EntityType | None = None
    object_type: EntityType | None = None
    strength: float = 0.6
    confidence: float = 0.7
    valid_at: datetime | None = None
    valid_by: datetime | None = None
    invalid_at: datetime | None = None
    trigger_emotion: str | None = None
    closes: bool = False
    importance: int | None = None
    detail: FactDetail = PLAIN_FACT
    stated: Stated | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Everything a reader got out of one scene.

    Attributes:
        reader: `rules`, `caller`, or the model's name.
        summary: an abstract of the scene by the reader; None when it makes none.
        calls: model calls made for it, vain ones too; tokens: input and output tokens they cost.
        dropped: why something of the answer was left out.
        path: what was tried, in order: `model`, `halves`, `user only`, `rules`, …
        cut: the answer had come to its limit; what is here came before.
        owed: a model should have read it and could not for now.
    """

    reader: str
    facts: tuple[ProposedFact, ...] = ()
    mentions: tuple[Mention, ...] = ()
    title: str | None = None
    summary: str | None = None
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    dropped: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    cut: bool = False
    owed: bool = False


Reader = Callable[[SceneText], Awaitable[Reading]]
