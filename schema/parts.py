"""Parts of the mind map requested over HTTP: neighbourhoods, paths, search results, changes and communities."""

from typing import Any, Literal

from pydantic import Field, TypeAdapter

from schema.frames import Count, EdgeView, Frame, NodeView


class SaidHit(Frame):
    """A message in which the words of a search were said.

    Attributes:
        text: the sentence with the first of the words, at most 200 characters.
        scene_id: None until the message is read.
    """

    id: str
    user_id: str
    speaker: str | None = None
    role: str
    said_at: str
    text: str
    scene_id: str | None = None


class GraphPart(Frame):
    """A subgraph as it was at `seq` or a little later.

    Attributes:
        total: number of matching nodes, including those left out.
        paths: ids of the nodes of each path, from one end to the other, the shortest path first.
        said: the messages of a search.
    """

    t: Literal["graph_part"] = "graph_part"
    epoch: str
    seq: int
    total: int
    nodes: list[NodeView]
    edges: list[EdgeView]
    paths: list[list[str]] = Field(default_factory=list)
    said: list[SaidHit] = Field(default_factory=list)


class ChangeLine(Frame):
    """One change of the log; `node` or `edge` is the element after the change, None if it was removed.

    Attributes:
        scene: id of the newest scene that tells the fact or names the entity; None for a correction by hand.
    """

    seq: int
    at: str
    op: Literal["node+", "edge+", "node-", "edge-"]
    element_id: str
    reason: str
    node: NodeView | None = None
    edge: EdgeView | None = None
    scene: str | None = None


class RecentChanges(Frame):
    """Changes of the log, newest first.

    Attributes:
        labels: names of the nodes that the edges connect, and of the scenes, by id.
        more: true if there are older changes; request them with `before` set to the last `seq`.
    """

    t: Literal["recent_changes"] = "recent_changes"
    epoch: str
    changes: list[ChangeLine]
    labels: dict[str, str]
    more: bool


class FactCount(Frame):
    """The number of valid facts that have this subject and are alike otherwise.

    Attributes:
        subject: id of a user or agent; `""` for all things together, whose facts are counted by predicate only.
        kind, entity_type: those of the objects.
        avoided: true for the disliked that must be avoided, such as the cause of an allergy.
    """

    subject: str
    predicate: str
    relation: str | None = None
    category: str | None = None
    kind: str | None = None
    entity_type: str | None = None
    avoided: bool = False
    n: int


class MapTotals(Frame):
    """Totals of a memory, of which a viewer may have loaded a part.

    Attributes:
        nodes: numbers of nodes by user id and kind.
        past: number of facts that held and have ended, which `facts` does not count.
        unsure: number of valid facts with a confidence below one half.
    """

    t: Literal["map_totals"] = "map_totals"
    epoch: str
    seq: int
    nodes: dict[str, dict[str, int]]
    facts: list[FactCount]
    past: int
    unsure: int


class CommunityView(Frame):
    """A community of densely connected nodes.

    Attributes:
        id: id of its member with the highest degree, so that it is stable while the memory grows.
        label: names of its members with the highest degrees.
        members: number of its nodes and edges.
    """

    id: str
    label: str
    members: Count
    user_id: str


class CommunityLink(Frame):
    """The number of edges from one community or user to another."""

    source: str
    target: str
    edges: int


class CommunityMap(Frame):
    """The communities of a memory, largest first.

    Attributes:
        total: number of communities, including those left out.
        seq: sequence number of the log when they were computed, which may be behind the current one.
        users: the users; they belong to no community.
        community_of: community id by node id; only of the first members of each community if there are many.
    """

    t: Literal["community_map"] = "community_map"
    epoch: str
    seq: int
    total: int
    users: list[NodeView]
    communities: list[CommunityView]
    links: list[CommunityLink]
    community_of: dict[str, str]


def parts_schema() -> dict[str, Any]:
    """Return the answers of `/api/explore` as JSON schema, for `parts.schema.json` and the viewer's types."""
    answers = (GraphPart, RecentChanges, MapTotals, CommunityMap)
    return {each.model_fields["t"].default: TypeAdapter(each).json_schema() for each in answers}
