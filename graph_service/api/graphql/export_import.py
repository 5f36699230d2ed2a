"""GraphQL: a tenant's whole memory out of the graph, and into a tenant that holds nothing."""

from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.graphql.arguments import memory_of
from graph_service.memory.export_import.service import ExportFormat

GraphFormat = strawberry.enum(
    ExportFormat,
    name="GraphFormat",
    description="JSONL holds everything, importGraph takes it in again; GRAPHML is the mind map, for other programs.",
)


@strawberry.type(description="A tenant's whole memory.")
class GraphExport:
    """A tenant's whole memory."""

    text: str = strawberry.field(description="The export.")
    nodes: int = strawberry.field(description="How many nodes.")
    edges: int = strawberry.field(description="How many edges and links.")
    bytes: float = strawberry.field(description="How long it is.")
    sha256: str = strawberry.field(description="Of its lines; of JSONL the last line says the same.")


@strawberry.type(description="What was taken in.")
class GraphImport:
    """What was taken in."""

    nodes: int = strawberry.field(description="How many nodes.")
    edges: int = strawberry.field(description="How many edges and links.")
    users: list[str] = strawberry.field(description="Whose memories.")
    vectors: bool = strawberry.field(description="False: another embedder made the vectors, they are made anew.")


@strawberry.type
class CarryingMutation:
    """What admins can do with a tenant as a whole."""

    @strawberry.mutation(
        description="Writes down the whole memory of the tenant, at most 16 MB; `mnemograph export` has no such bound. "
        "Changes nothing. For admins."
    )
    async def export_graph(
        self,
        info: Info[Any, None],
        format: Annotated[ExportFormat, strawberry.argument(description="How.")] = ExportFormat.JSONL,  # noqa: A002  the API's word
        vectors: Annotated[
            bool, strawberry.argument(description="With vectors; else an import makes them anew.")
        ] = False,
    ) -> GraphExport:
        """Write down the whole memory of the tenant."""
        done = await memory_of(info).carrying.export_text(info.context["tenant"], format, vectors=vectors)
        told = done.told
        return GraphExport(
            text=done.text, nodes=told.nodes, edges=told.edges, bytes=float(told.bytes), sha256=told.sha256
        )

    @strawberry.mutation(
        description="Takes a JSONL export into the tenant, which must hold nothing; nothing is written if the text has "
        "a mistake. For admins."
    )
    async def import_graph(
        self,
        info: Info[Any, None],
        text: Annotated[str, strawberry.argument(description="What exportGraph gave.")],
    ) -> GraphImport:
        """Take an export into the tenant."""
        done = await memory_of(info).carrying.import_text(info.context["tenant"], text)
        return GraphImport(nodes=done.nodes, edges=done.edges, users=list(done.users), vectors=done.vectors)
