"""What the tools with Graphiti's names take and give, in Graphiti's words."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from graph_service.mcp.shapes import Shape
from graph_service.mcp.their_shapes import MessageAnswer, Theirs

_GROUPS = Field(None, description="Whose memories; one, several, or the one this connection names.")


class AddMemoryArguments(Theirs):
    """What `add_memory` takes."""

    name: str = Field(description="Name of the episode; not kept.")
    episode_body: str = Field(description="What to remember.")
    group_id: str | None = Field(None, description="Whose memory.")
    source: Literal["text", "json", "message"] = Field("text", description="`message`: lines `name: words`.")
    uuid: str | None = Field(None, description="Your id of it; repeating it changes nothing.")
    reference_time: datetime | None = Field(None, description="When it was said, ISO 8601; now if left out.")


class SearchArguments(Theirs):
    """What both searches take."""

    query: str
    group_ids: str | list[str] | None = _GROUPS


class SearchNodesArguments(SearchArguments):
    """What `search_nodes` takes."""

    max_nodes: int = 10
    entity_types: list[str] = Field([])


class SearchFactsArguments(SearchArguments):
    """What `search_memory_facts` takes."""

    max_facts: int = 10


class EpisodesArguments(Theirs):
    """What `get_episodes` takes."""

    group_ids: str | list[str] | None = _GROUPS
    max_episodes: int = Field(10, ge=1, le=100)


class UuidArguments(Theirs):
    """What the deletions take."""

    uuid: str


class NodeResult(Shape):
    """A node."""

    uuid: str
    name: str
    labels: list[str]
    created_at: datetime
    summary: str = ""
    group_id: str


class NodesResult(MessageAnswer):
    """Nodes."""

    nodes: list[NodeResult] = Field([])


class FactResult(Shape):
    """A fact."""

    uuid: str
    name: str
    fact: str
    valid_at: datetime
    invalid_at: datetime | None = None
    group_id: str


class FactsResult(MessageAnswer):
    """Facts."""

    facts: list[FactResult] = Field([])


class EpisodeResult(Shape):
    """A message."""

    uuid: str
    name: str
    content: str
    created_at: datetime
    source: str = "message"
    group_id: str


class EpisodesResult(MessageAnswer):
    """Messages, the latest first."""

    episodes: list[EpisodeResult] = Field([])


class StatusResult(MessageAnswer):
    """Whether it works."""

    status: Literal["ok", "error"]
