"""Export and import tenants, as files or as strings."""

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
from graph_service.memory.export_import.exporter import ExportResult, export_graphml, export_rows
from graph_service.memory.export_import.importer import ImportResult, import_rows
from graph_service.memory.export_import.snapshot import Progress
from schema.errors import ConflictError, InputError, UnavailableError
from schema.ids import TenantId

# Maximum size of an export returned as a text; larger ones require the command line.
TEXT_BYTES_MAX: Final = 16 * 2**20
# Each running import occupies a thread, a core, and a temporary file of the size of the import.
_IMPORTS_MAX: Final = 2
_IMPORT_WAIT_S: Final = 30.0


class ExportFormat(StrEnum):
    """Format of an export."""

    JSONL = "jsonl"  # everything; can be imported
    GRAPHML = "graphml"  # nodes and facts, for other programs


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportText:
    """An exported memory.

    Attributes:
        text: the content of the export.
    """

    text: str
    result: ExportResult


class TenantTransfer:
    """Export and import tenants.

    Args:
        notify: called with the tenant after each import.
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
        export_format: ExportFormat,
        *,
        vectors: bool = False,
        on_progress: Progress | None = None,
    ) -> ExportResult:
        """Write a tenant's memory to a seekable file, whose content is replaced.

        Raises:
            NotFoundError: the tenant does not exist.
            ConflictError: one of its users is being forgotten.
        """
        if export_format is ExportFormat.GRAPHML:
            return await export_graphml(self._graph, tenant, out, on_progress=on_progress)
        return await export_rows(self._graph, tenant, out, vectors=vectors, on_progress=on_progress)

    async def export_text(self, tenant: TenantId, export_format: ExportFormat, *, vectors: bool) -> ExportText:
        """Return a tenant's memory as one text.

        Raises:
            InputError: the export is too long for one answer.
            NotFoundError, ConflictError, UnavailableError: see `export`.
        """
        with tempfile.TemporaryFile(prefix="mnemoscene-export-") as out:
            result = await self.export(tenant, out, export_format, vectors=vectors)
            if result.bytes > TEXT_BYTES_MAX:
                raise InputError(
                    f"the export has {result.bytes:,} bytes, more than the {TEXT_BYTES_MAX:,} of one answer: leave "
                    "vectors out, or use `mnemoscene export --output FILE`"
                )
            out.seek(0)
            return ExportText(text=io.TextIOWrapper(out, encoding="utf-8").read(), result=result)

    async def import_file(self, tenant: TenantId, path: Path, *, on_progress: Progress | None = None) -> ImportResult:
        """Import a JSONL export into an empty tenant.

        Raises:
            InputError: the file is not an export, or damaged; nothing was written.
            ConflictError: the tenant is not empty, or another import into it is running.
            UnavailableError: Neo4j does not answer, or too many imports run; repeating the import resumes it.
        """
        if tenant in self._importing:
            raise ConflictError(f"an import into the tenant {tenant!r} is in progress; wait until it ends")
        if len(self._importing) >= _IMPORTS_MAX:
            raise UnavailableError(
                f"{_IMPORTS_MAX} imports are in progress; try again when one has ended", _IMPORT_WAIT_S
            )
        self._importing.add(tenant)
        try:
            result = await import_rows(self._graph, tenant, path, now=self._clock(), on_progress=on_progress)
        finally:
            self._importing.discard(tenant)
        self._notify(tenant)
        return result

    async def import_text(self, tenant: TenantId, text: str) -> ImportResult:
        """Import a JSONL export given as a text; see `import_file`."""
        with tempfile.TemporaryDirectory(prefix="mnemoscene-import-") as folder:
            path = Path(folder) / "text"
            try:
                await asyncio.to_thread(path.write_text, text, encoding="utf-8", newline="")
            except UnicodeEncodeError as error:
                raise InputError(f"the text contains an unpaired surrogate at character {error.start + 1}") from error
            return await self.import_file(tenant, path)
