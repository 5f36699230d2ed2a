"""Parts of the mind map that a viewer asks for by HTTP: what is around a thing, between two, or called by a name."""

from typing import Any, Literal

from pydantic import Field, TypeAdapter

from schema.frames import Count, EdgeView, Frame, NodeView


class GraphPart(Frame):
    """Some nodes and edges, as they were at `seq` or a little later.

    Attributes:
        total: how many nodes belong to what was asked for, shown or not.
        paths: for a path, the ids of the nodes from one end to the other, the shortest path first.
    """

    t: Literal["graph_part"] = "graph_part"
    epoch: str
    seq: int
    total: int
    nodes: list[NodeView]
    edges: list[EdgeView]
    paths: list[list[str]] = Field(default_factory=list)


class ChangeLine(Frame):
    """One change of the log; `node` or `edge` is the element as it was after it, none for a removal."""

    seq: int
    at: str
    op: Literal["node+", "edge+", "node-", "edge-"]
    element_id: str
    reason: str
    node: NodeView | None = None
    edge: EdgeView | None = None


class RecentChanges(Frame):
    """Changes of the log, the newest first.

    Attributes:
        labels: names of the ends of the edges, by id.
        more: whether there are older ones; ask again with `before` set to the last `seq`.
    """

    t: Literal["recent_changes"] = "recent_changes"
    epoch: str
    changes: list[ChangeLine]
    labels: dict[str, str]
    more: bool


class CommunityView(Frame):
    """Things that belong together.

    Attributes:
        id: that of its best tied member, so that it stays the same while the memory grows.
        label: names of its best tied members.
        members: of how many nodes and edges it consists.
    """

    id: str
    label: str
    members: Count
    user_id: str


class CommunityLink(Frame):
    """How many edges lead from one community, or user, to another."""

    source: str
    target: str
    edges: int


class CommunityMap(Frame):
    """A whole memory as communities, the largest first.

    Attributes:
        total: how many communities there are, listed or not.
        seq: of the log when they were found; a younger log is no reason to find them anew at once.
        users: the users, who belong to no community.
        community_of: the community of each member while these are few, otherwise of the leading members of each.
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
    answers = (GraphPart, RecentChanges, CommunityMap)
    return {each.model_fields["t"].default: TypeAdapter(each).json_schema() for each in answers}
