"""The tool `search_nodes`: who and what a memory knows."""

from datetime import datetime

from pydantic import Field

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import Effect, Tool, ToolContext
from graph_service.mcp.tool_schemas import Arguments, Result
from graph_service.mcp.tools.remember import UserId
from graph_service.memory.mindmap.node_search import FactOfNode, NodeFound
from schema.entity import EntityType


class SearchNodesArguments(Arguments):
    """What `search_nodes` takes."""

    query: str = Field(description="A name, or words of what is said about it.")
    user_id: UserId = None
    entity_types: list[EntityType] = Field([], description="Only entities of these types; all if left out.")
    limit: int = Field(10, description="At most so many nodes, 1 to 100.")
    facts: int = Field(5, description="Facts told of each, 0 to 100.")


class NodeFact(Result):
    """A fact that holds."""

    id: str
    subject: str
    predicate: str
    object: str
    relation: str | None = None
    statement: str | None = None
    since: datetime


class Node(Result):
    """A user, agent or entity."""

    id: str = Field(description="forget takes it.")
    name: str
    kind: str = Field(description="User, Agent or Entity.")
    entity_type: str | None = None
    aliases: list[str] = Field([])
    last_seen: datetime
    facts: list[NodeFact] = Field([], description="What holds now, the strongest first.")


class NodesAnswer(Result):
    """Nodes, best first."""

    nodes: list[Node]


def node_answer(found: NodeFound) -> Node:
    """Return a node as MCP tells it."""
    return Node(
        id=found.id,
        name=found.name,
        kind=found.kind,
        entity_type=found.entity_type,
        aliases=list(found.aliases),
        last_seen=found.last_seen,
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
        " English or Chinese) or what is said about them, each with the facts that hold now. Use it to see how somebody"
        " or something is connected; for a question, use recall."
    ),
    arguments=SearchNodesArguments,
    answer=NodesAnswer,
    effect=Effect.READS,
    act=_search_nodes,
)
