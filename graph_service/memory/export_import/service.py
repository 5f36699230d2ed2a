"""Taking a tenant's memory out of the graph and into another: the handle of the doors, which hold files or texts."""

import asyncio
import io
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, Final

from graph_service.graph.store import Graph
from graph_service.memory.export_import.exporter import Exported, Progress, export_rows
from graph_service.memory.export_import.graphml import export_graphml
from graph_service.memory.export_import.importer import Imported, import_rows
from schema.errors import ConflictError, InputError, UnavailableError
from schema.ids import TenantId

# What one answer may hold; more is for the command line.
TEXT_BYTES_MAX: Final = 16 * 2**20
# Checking one takes a thread, a core and a file as large as the import.
_IMPORTS_MAX: Final = 2
_IMPORT_WAIT_S: Final = 30.0


class ExportFormat(StrEnum):
    """How an export is written."""

    JSONL = "jsonl"  # everything; `import` takes it in again
    GRAPHML = "graphml"  # the mind map, for other programs


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportText:
    """An export in one piece."""

    text: str
    told: Exported


class Carrying:
    """Export and import of a tenant.

    Args:
        notify: called with the tenant when something came in.
    """

    def __init__(self, graph: Graph, *, clock: Callable[[], datetime], notify: Callable[[str], None]) -> None:
        self._graph = graph
        self._clock = clock
        self._notify = notify
        self._importing: set[TenantId] = set()

    async def export(
        self,
        tenant: TenantId,
        out: BinaryIO,
        form: ExportFormat,
        *,
        vectors: bool = True,
        on_progress: Progress | None = None,
    ) -> Exported:
        """Write a tenant's memory into a file that can be written twice.

        Raises:
            NotFoundError: there is no such tenant.
            ConflictError: it changed all the time.
            UnavailableError: Neo4j does not answer.
        """
        if form is ExportFormat.GRAPHML:
            return await export_graphml(self._graph, tenant, out, on_progress=on_progress)
        return await export_rows(self._graph, tenant, out, vectors=vectors, on_progress=on_progress)

    async def export_text(self, tenant: TenantId, form: ExportFormat, *, vectors: bool) -> ExportText:
        """Return a tenant's memory as one text.

        Raises:
            InputError: it is too long for one answer; or as `export`.
        """
        with tempfile.TemporaryFile(prefix="mnemograph-export-") as out:
            told = await self.export(tenant, out, form, vectors=vectors)
            if told.bytes > TEXT_BYTES_MAX:
                raise InputError(
                    f"the export has {told.bytes:,} bytes, more than the {TEXT_BYTES_MAX:,} of one answer: leave "
                    "vectors out, or use `mnemograph export --output FILE`"
                )
            out.seek(0)
            return ExportText(text=io.TextIOWrapper(out, encoding="utf-8").read(), told=told)

    async def import_file(self, tenant: TenantId, path: Path, *, on_progress: Progress | None = None) -> Imported:
        """Take a JSONL export into a tenant that holds nothing.

        Raises:
            InputError: the file is no export, or damaged; nothing was written.
            ConflictError: the tenant holds something, or another import into it is under way.
            UnavailableError: Neo4j does not answer; the same import again goes on.
        """
        if tenant in self._importing:
            raise ConflictError(f"an import into the tenant {tenant!r} is under way; wait for its end")
        if len(self._importing) >= _IMPORTS_MAX:
            raise UnavailableError(
                f"{_IMPORTS_MAX} imports are under way; try again when one has ended", _IMPORT_WAIT_S
            )
        self._importing.add(tenant)
        try:
            done = await import_rows(self._graph, tenant, path, now=self._clock(), on_progress=on_progress)
        finally:
            self._importing.discard(tenant)
        self._notify(tenant)
        return done

    async def import_text(self, tenant: TenantId, text: str) -> Imported:
        """Return the same, of an export in one piece."""
        with tempfile.TemporaryDirectory(prefix="mnemograph-import-") as folder:
            path = Path(folder) / "text"
            try:
                await asyncio.to_thread(path.write_text, text, encoding="utf-8", newline="")
            except UnicodeEncodeError as error:
                raise InputError(f"the text contains half of a surrogate pair at {error.start + 1}") from error
            return await self.import_file(tenant, path)
