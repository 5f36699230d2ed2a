"""The reader port: a reader turns the text of a scene into proposed facts and mentions."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime

from schema.assertion import CorrectionKind
from schema.entity import EntityType
from schema.fact import PLAIN_FACT, FactDetail
from schema.ids import MemoryId
from schema.labels import Role

# Subjects of the two participants, however the text refers to them (I, me, my, 我, 用户, their own name).
THE_USER = "@user"
THE_AGENT = "@agent"
# The rest of longer messages is not read: most are pasted texts.
READ_CHARS_MAX = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneLine:
    """One message of a scene.

    Attributes:
        fresh: extract facts from this line; other lines were read before and are context.
    """

    message_id: MemoryId
    role: Role
    speaker: str | None
    text: str
    said_at: datetime
    fresh: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownName:
    """An entity of this user's memory, to be spelled the same way."""

    name: str
    entity_type: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneContext:
    """Earlier memories of the same user, which help a model to understand a scene; no facts are read from them.

    Attributes:
        profile: statements about the user that were valid when the scene ended, most important first.
        before: the last lines of the scene before, oldest first.
        before_summary: its abstract, if there is one.
    """

    names: tuple[KnownName, ...] = ()
    profile: tuple[str, ...] = ()
    before: tuple[SceneLine, ...] = ()
    before_summary: str | None = None


NO_CONTEXT = SceneContext()


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneText:
    """A scene for reading, oldest line first.

    Attributes:
        user_names: names of the user in the text, preferred one first; may be empty.
        context: what the memory knows already; empty for the rules, which do not use it.
    """

    user_names: tuple[str, ...]
    agent_names: tuple[str, ...]
    lines: tuple[SceneLine, ...]
    context: SceneContext = NO_CONTEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Evidence of a proposal: line index in the scene and character span (None: the whole line)."""

    line: int
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A person, place, thing or idea that a line names.

    Attributes:
        attributes: (name, value) pairs of details that are not facts.
    """

    name: str
    line: int
    entity_type: EntityType | None = None
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedFact:
    """A fact as extracted, before the check.

    Attributes:
        subject, object: a name, `THE_USER` or `THE_AGENT`.
        closes: the line says that the fact is no longer true.
        corrects: it ends what a corrected line said, if that was read before; else there is nothing to close.
        withdraws: index of a corrected line for which other facts are told: what was read from it was never true.
        valid_at: start of its valid time; None for the time of the line.
        valid_by: latest possible start, if the text names a period ("last month").
        importance: 1 to 10; None to derive it from the strength.
        correction: entered by a person, not extracted.
        replaces: facts of the same subject that it replaces, as the caller named them.
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
    corrects: bool = False
    withdraws: int | None = None
    importance: int | None = None
    detail: FactDetail = PLAIN_FACT
    correction: CorrectionKind | None = None
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Result of reading one scene.

    Attributes:
        reader: `rules`, `caller`, or the model's name.
        summary: abstract of the scene, or None.
        dropped: reasons why parts of the answer were dropped.
        path: attempts in order: `model`, `halves`, `user only`, `rules`, …
        cut: the answer reached its token limit and is incomplete.
        needs_model: the model was not asked, for lack of tokens or on request; it reads the scene when asked to.
        unconfirmed: read by the local reader at once; a model is to read the scene, too.
        withdraws: a model's answer that is good enough to withdraw what only the local reader found.
    """

    reader: str
    facts: tuple[ProposedFact, ...] = ()
    mentions: tuple[Mention, ...] = ()
    title: str | None = None
    summary: str | None = None
    dropped: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    cut: bool = False
    needs_model: bool = False
    unconfirmed: bool = False
    withdraws: bool = False


Reader = Callable[[SceneText], Awaitable[Reading]]
