"""The tool `search_nodes`: users, agents and entities of a memory."""

from datetime import datetime
from typing import Annotated

from pydantic import ConfigDict, Field

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import Effect, ToolContext, tool
from graph_service.mcp.tool_schemas import Result, about
from graph_service.mcp.tools.remember import UserId
from schema.entity import EntityType


class NodeFact(Result):
    """A currently valid fact."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    id: str
    subject: str
    predicate: str
    object: str
    relation: str | None = None
    statement: str | None = None
    valid_at: Annotated[datetime, Field(alias="since")]


class Node(Result):
    """A user, agent or entity."""

    id: Annotated[str, about("For forget.")]
    name: str
    kind: Annotated[str, about("User, Agent or Entity.")]
    entity_type: str | None = None
    aliases: list[str] = Field([])
    last_seen: datetime
    attributes: Annotated[dict[str, str], about("Attributes that messages mention: age, colour, price.")] = Field({})
    facts: Annotated[list[NodeFact], about("Currently valid facts, strongest first.")] = Field([])


class NodesAnswer(Result):
    """Nodes, best first."""

    nodes: list[Node]


@tool(Effect.READS, "Search people, places, things")
async def search_nodes(
    context: ToolContext,
    caller: Caller,
    query: Annotated[str, about("A name, or words from facts about it.")],
    user_id: UserId = None,
    entity_types: Annotated[tuple[EntityType, ...], about("Only entities of these types. Default: all.")] = (),
    limit: Annotated[int, about("Maximum number of nodes, 1 to 100.")] = 10,
    facts: Annotated[int, about("Facts per node, 0 to 100.")] = 5,
) -> NodesAnswer:
    """Find people, places, organizations, things and ideas in one user's memory by name, alias (any spelling, English
    or Chinese) or words from facts about them, each with its current facts. Use it to see how a person or thing is
    connected; for a question, use recall.
    """
    found = await context.memory.nodes.search(
        caller.tenant, caller.user_of(user_id), query, types=entity_types, limit=limit, facts=facts
    )
    return NodesAnswer(nodes=[Node.of(one) for one in found])
