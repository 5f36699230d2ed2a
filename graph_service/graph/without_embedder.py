"""Vector indexes for a database that no embedder has filled yet: recall names them, so they must be there."""

from typing import Final

from graph_service.graph.migrate import prepare_vectors
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph

NO_MODEL: Final = "none"
# Any dimension will do: the first embedder that comes makes the indexes anew.
_DIM: Final = 384


async def prepare_without_embedder(graph: Graph) -> None:
    """Makes empty vector indexes unless an embedder has been here, whose vectors stay as they are.

    Raises:
        UnavailableError: Neo4j does not answer.
    """
    if not await graph.read(statement(name="read/embedder"), {}):
        await prepare_vectors(graph, model=NO_MODEL, dim=_DIM)
