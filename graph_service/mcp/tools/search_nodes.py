"""The tool `search_nodes`: users, agents and entities of a memory."""

from datetime import datetime

from pydantic import Field

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import Effect, Tool, ToolContext
from graph_service.mcp.tool_schemas import Arguments, Result
from graph_service.mcp.tools.remember import UserId
from graph_service.memory.mindmap.node_search import FactOfNode, NodeMatch
from schema.entity import EntityType


class SearchNodesArguments(Arguments):
    """Arguments of `search_nodes`."""

    query: str = Field(description="A name, or words from facts about it.")
    user_id: UserId = None
    entity_types: list[EntityType] = Field([], description="Only entities of these types. Default: all.")
    limit: int = Field(10, description="Maximum number of nodes, 1 to 100.")
    facts: int = Field(5, description="Facts per node, 0 to 100.")


class NodeFact(Result):
    """A currently valid fact."""

    id: str
    subject: str
    predicate: str
    object: str
    relation: str | None = None
    statement: str | None = None
    since: datetime


class Node(Result):
    """A user, agent or entity."""

    id: str = Field(description="For forget.")
    name: str
    kind: str = Field(description="User, Agent or Entity.")
    entity_type: str | None = None
    aliases: list[str] = Field([])
    last_seen: datetime
    attributes: dict[str, str] = Field({}, description="Attributes that messages mention: age, colour, price.")
    facts: list[NodeFact] = Field([], description="Currently valid facts, strongest first.")


class NodesAnswer(Result):
    """Nodes, best first."""

    nodes: list[Node]


def node_answer(found: NodeMatch) -> Node:
    """Convert a node to its MCP type."""
    return Node(
        id=found.id,
        name=found.name,
        kind=found.kind,
        entity_type=found.entity_type,
        aliases=list(found.aliases),
        last_seen=found.last_seen,
        attributes=found.attributes,
        facts=[_fact(fact) for fact in found.facts],
    )


def _fact(fact: FactOfNode) -> NodeFact:
    return NodeFact(
        id=fact.id,
        subject=fact.subject,
        predicate=fact.predicate,
        object=fact.object,
        relation=fact.relation,
        statement=fact.statement,
        since=fact.valid_at,
    )


async def _search_nodes(context: ToolContext, caller: Caller, given: SearchNodesArguments) -> NodesAnswer:
    found = await context.memory.nodes.search(
        caller.tenant,
        caller.user_of(given.user_id),
        given.query,
        types=given.entity_types,
        limit=given.limit,
        facts=given.facts,
    )
    return NodesAnswer(nodes=[node_answer(one) for one in found])


SEARCH_NODES = Tool(
    name="search_nodes",
    title="Search people, places, things",
    description=(
        "Find people, places, organizations, things and ideas in one user's memory by name, alias (any spelling,"
        " English or Chinese) or words from facts about them, each with its current facts. Use it to see how a person"
        " or thing is connected; for a question, use recall."
    ),
    arguments=SearchNodesArguments,
    answer=NodesAnswer,
    effect=Effect.READS,
    act=_search_nodes,
)
