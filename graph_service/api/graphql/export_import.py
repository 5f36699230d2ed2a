"""GraphQL: export a tenant's memory, and import it into an empty tenant."""

from typing import Annotated, Any

import strawberry
from strawberry.types import Info

from graph_service.api.descriptions import about, argument, mutation, output
from graph_service.api.graphql.arguments import memory_of, view_of
from graph_service.api.secret_filter import UNFILTERED_KEY
from graph_service.memory.export_import.service import ExportFormat

GraphFormat = strawberry.enum(
    ExportFormat,
    name="GraphFormat",
    description="JSONL is complete and can be imported; GRAPHML contains the mind map, for other programs.",
)


@output()
class GraphExport:
    """An exported memory."""

    text: str = about("The content of the export.")
    nodes: int = about("Number of nodes.")
    edges: int = about("Number of edges and links.")
    bytes: float = about("Size in bytes.")
    sha256: str = about("SHA-256 of its lines; the last line of JSONL repeats it.")


@output()
class GraphImport:
    """The result of an import."""

    nodes: int = about("Number of nodes.")
    edges: int = about("Number of edges and links.")
    users: list[str] = about("Ids of the imported users.")
    vectors: bool = about("False if the vectors come from another embedder and are computed again.")


@strawberry.type
class ExportImportMutation:
    """Export and import of a tenant."""

    @mutation
    async def export_graph(
        self,
        info: Info[Any, None],
        format: Annotated[ExportFormat, argument("The file format.")] = ExportFormat.JSONL,  # noqa: A002  the API's word
        vectors: Annotated[bool, argument("Include vectors; otherwise the import computes them.")] = False,
    ) -> GraphExport:
        """Export the tenant's memory, at most 16 MB; `mnemoscene export` has no such limit. Requires admin."""
        # An import restores exactly what was exported, so nothing in it is hidden.
        request = info.context.get("request")
        if request is not None:
            request.scope[UNFILTERED_KEY] = True
        done = await memory_of(info).transfer.export_text(info.context["tenant"], format, vectors=vectors)
        return view_of(GraphExport, done.result, text=done.text, bytes=float(done.result.bytes))

    @mutation
    async def import_graph(
        self, info: Info[Any, None], text: Annotated[str, argument("The text from exportGraph.")]
    ) -> GraphImport:
        """Import a JSONL export into the tenant, which must be empty; nothing is written if it is invalid. Requires
        admin.
        """
        done = await memory_of(info).transfer.import_text(info.context["tenant"], text)
        return view_of(GraphImport, done)
