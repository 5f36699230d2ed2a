"""Frames of the WebSocket protocol `mnemoscene.v1`; `frames.schema.json` beside this file is generated from here."""

import inspect
import re
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

PROTOCOL = "mnemoscene.v1"
PROTOCOL_VERSION = 1
BUDGET_MAX = 5_000


class Frame(BaseModel):
    """Base of all frames; unknown fields are ignored, so that older clients accept new fields."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class NodeView(Frame):
    """A node of the mind map as viewers see it; times are ISO 8601 UTC."""

    id: str
    kind: Literal["User", "Agent", "Entity", "Scene"]
    label: str
    user_id: str
    entity_type: str | None = None
    aliases: list[str] = Field(default_factory=list)
    summary: str | None = None
    importance: int | None = None
    first_seen: str
    last_seen: str
    evidence_n: int = 0


class EdgeView(Frame):
    """An edge of the mind map as viewers see it; a closed fact has `invalid_at`.

    Attributes:
        statement: the fact as a sentence, in the language of the memory; None for mentions.
        known_at: when the fact was first received; closing_known_at: when its end was.
        category: profile category (`schema.profile`) of facts that can be part of a profile.
    """

    id: str
    source: str
    target: str
    predicate: str
    relation: str | None = None
    statement: str | None = None
    user_id: str
    strength: float
    confidence: float
    first_seen: str
    last_seen: str
    valid_at: str | None = None
    invalid_at: str | None = None
    known_at: str | None = None
    closing_known_at: str | None = None
    category: str | None = None
    evidence_n: int = 0
    previous: dict[str, float] | None = None


class Scope(Frame):
    """The requested view: a tenant, one of its users or all of them, at most `budget` elements."""

    tenant: str = "default"
    user: str | None = None
    budget: int = Field(default=800, ge=1, le=BUDGET_MAX)


class Resume(Frame):
    """The last position that a reconnecting viewer received.

    Attributes:
        places: `seq` of the last `places` frame.
    """

    epoch: str
    seq: int = Field(ge=0)
    places: int = Field(default=0, ge=0)


class Hello(Frame):
    """First frame that a viewer sends: its credential, the view it requests, and the position to resume from."""

    t: Literal["hello"]
    v: int
    client: str = Field(min_length=1, max_length=64)
    lang: str = "en"
    token: str | None = Field(default=None, max_length=4_096)
    scope: Scope = Field(default_factory=Scope)
    resume: Resume | None = None


class Ack(Frame):
    """Acknowledgement: the viewer shows all changes up to `seq`."""

    t: Literal["ack"]
    seq: int = Field(ge=0)


class Resync(Frame):
    """Request for a snapshot, because the viewer found a gap in the sequence."""

    t: Literal["resync"]
    reason: str = Field(default="gap", max_length=200)


class ScopeChange(Frame):
    """Request for another view; a snapshot follows."""

    t: Literal["scope"]
    user: str | None = None
    budget: int = Field(default=800, ge=1, le=BUDGET_MAX)


class SelectionUpdate(Frame):
    """The complete selection of this viewer, which is forwarded to the others.

    Attributes:
        clock: increases with each update; updates that are not newer than the last one are ignored.
        focus: the element that viewers who follow this one should centre on.
    """

    t: Literal["selection_sync"]
    clock: int = Field(ge=0)
    ids: list[Annotated[str, Field(max_length=200)]] = Field(max_length=50)
    focus: str | None = Field(default=None, max_length=200)


PLACES_MAX = 250
# Views that draw nodes: the map, the network of a small memory, and that of a large one.
View = Literal["map", "graph", "communities"]
VIEWS: tuple[View, ...] = get_args(View)
_Coordinate = Annotated[float, Field(ge=-1_000_000, le=1_000_000, allow_inf_nan=False)]
Place = Annotated[list[_Coordinate], Field(min_length=3, max_length=128)]


# Positions by node id.
PlacesByView = dict[View, dict[str, list[float]]]


class PlaceNodes(Frame):
    """Positions of nodes in a view of a user, or of everybody, to store for all viewers.

    Attributes:
        keep: only nodes that have no position yet get one.
        places: node ids with x, y and 1 if pinned, in map units; followed by what the service does not interpret: the
            sectors around the node in the middle of a map, or the disc of the community whose first member it is.
    """

    t: Literal["place"]
    user: str | None = Field(default=None, max_length=200)
    view: View = "map"
    keep: bool = False
    places: list[tuple[Annotated[str, Field(max_length=200)], Place]] = Field(max_length=PLACES_MAX)


ClientFrame = Annotated[Hello | Ack | Resync | ScopeChange | SelectionUpdate | PlaceNodes, Field(discriminator="t")]


class SocketLimits(Frame):
    """Limits of the connection, guaranteed to the viewer."""

    msg_bytes: int = 1_048_576
    window: int = 3
    ping_s: int = 15


class UserView(Frame):
    """A user whose memory the viewer may show."""

    user_id: str
    label: str


class HelloAck(Frame):
    """Answer to `hello`: position of the change log, limits, users and vocabulary.

    Attributes:
        auto_extract: whether facts are extracted from messages without a request.
        principal: opaque id of the credential, for local storage; None if the service requires none.
        may_place: whether this credential may store positions.
        access_expires_at: when the access ends and the viewer deletes its copies, ISO 8601 UTC; None for never.
    """

    t: Literal["hello_ack"] = "hello_ack"
    v: int = PROTOCOL_VERSION
    epoch: str
    head: int
    version: str
    read_only: bool = True
    db: Literal["up", "down"] = "up"
    limits: SocketLimits = Field(default_factory=SocketLimits)
    kinds: list[str]
    predicates: list[str]
    users: list[UserView]
    auto_extract: bool = True
    may_place: bool = False
    principal: str | None = None
    access_expires_at: str | None = None


class Count(Frame):
    """Numbers of nodes and edges."""

    nodes: int
    edges: int


class GraphSnapshot(Frame):
    """The mind map at `seq`, possibly in several parts; patches follow after the last part."""

    t: Literal["graph_snapshot"] = "graph_snapshot"
    epoch: str
    seq: int
    part: int = 0
    parts: int = 1
    as_of: str
    stale: bool = False
    shown: Count
    total: Count
    nodes: list[NodeView]
    edges: list[EdgeView]


class GraphPatch(Frame):
    """All changes after `from` up to `to`: `[op, node or edge]` or `[op, id]` for a removal."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)

    t: Literal["graph_patch"] = "graph_patch"
    epoch: str
    from_: int = Field(alias="from")
    to: int
    at: str
    changes: int
    ops: list[tuple[str, dict[str, Any] | str]]


class Bookmark(Frame):
    """Heartbeat: there are no further changes up to `seq`."""

    t: Literal["bookmark"] = "bookmark"
    epoch: str
    seq: int


class Status(Frame):
    """State of the database, and the source of the data shown."""

    t: Literal["status"] = "status"
    db: Literal["up", "down"]
    serving: Literal["live", "last snapshot"]
    as_of: str


class SelectionSync(Frame):
    """The selection of another viewer of this tenant; `ids` is None when that viewer left."""

    t: Literal["selection_sync"] = "selection_sync"
    viewer: str
    clock: int
    ids: list[str] | None
    focus: str | None = None
    colour: int = 0


class Places(Frame):
    """Stored positions in the views of a user, or of everybody, in the form of `place`.

    Attributes:
        seq: increases with each change of a position in this tenant.
        whole: these are all; otherwise those of the nodes that changed.
    """

    t: Literal["places"] = "places"
    user: str | None
    seq: int
    whole: bool
    places: dict[View, list[tuple[str, list[float]]]]


class Presence(Frame):
    """Number of other viewers of this tenant; 0 until the first such frame."""

    t: Literal["presence"] = "presence"
    others: int


class QuestionHit(Frame):
    """An element that a question found; its text is fetched by the query `questions`.

    Attributes:
        scene: id of a message's scene.
        used: it is part of the answer; a context leaves some hits out.
    """

    kind: Literal["message", "scene", "fact"]
    id: str
    score: float
    scene: str | None = None
    used: bool = True


class QuestionAsked(Frame):
    """A question that somebody asked the memory, with what it found, best first."""

    t: Literal["question"] = "question"
    id: str
    user_id: str
    kind: Literal["recall", "context"]
    door: str
    text: str
    at: str
    hits: list[QuestionHit]
    found_n: int = 0
    confidence: float | None = None
    nothing_relevant: bool = False


class QuestionsRemoved(Frame):
    """Ids of questions to remove, because something that they found was forgotten."""

    t: Literal["questions_removed"] = "questions_removed"
    ids: list[str]


class Said(Frame):
    """Messages of a user were stored; the query `conversation` returns them."""

    t: Literal["said"] = "said"
    user_id: str
    session_id: str


class ErrorFrame(Frame):
    """An error; the socket closes after it unless `retry_s` is set."""

    t: Literal["error"] = "error"
    code: str
    message: str
    retry_s: float | None = None


ServerFrame = Annotated[
    HelloAck
    | GraphSnapshot
    | GraphPatch
    | Bookmark
    | Status
    | SelectionSync
    | Places
    | Presence
    | QuestionAsked
    | QuestionsRemoved
    | Said
    | ErrorFrame,
    Field(discriminator="t"),
]

CLIENT_FRAMES: TypeAdapter[ClientFrame] = TypeAdapter(ClientFrame)


def frames_schema() -> dict[str, Any]:
    """Return the JSON schema of the frames, for `frames.schema.json` and the viewer's types."""
    return {
        "title": PROTOCOL,
        "client": CLIENT_FRAMES.json_schema(),
        "server": TypeAdapter(ServerFrame).json_schema(by_alias=True),
    }


def summary_and_attributes(docstring: str) -> tuple[str, dict[str, str]]:
    """Return a docstring's text before `Attributes:`, and the text of each attribute."""
    summary, _, attributes = docstring.partition("\n\nAttributes:\n")
    entries = re.findall(r"^ {4}([\w, ]+): (.*(?:\n {8}.*)*)", attributes, re.MULTILINE)
    texts = {name: " ".join(text.split()) for names, text in entries for name in names.split(", ")}
    return " ".join(summary.split()), texts


def attribute_texts(kind: type) -> dict[str, str]:
    """Return what the docstring of a class says about each attribute, as a sentence of the API."""
    texts = summary_and_attributes(inspect.getdoc(kind) or "")[1]
    # A list of values begins with one of them.
    return {
        name: re.sub(r"\bNone\b", "null", text if re.match(r"\w+, \w+, ", text) else text[:1].upper() + text[1:])
        for name, text in texts.items()
    }
