"""`mnemoscene eval`: measure recall on everyday memories."""

import asyncio
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import StopSignals, run
from graph_service.cli.terminal import ProgressBars, Terminal
from graph_service.config.settings import Settings
from graph_service.evaluation.everyday_memories import FactSource, Memory, read_memories
from graph_service.version import version
from schema.errors import InputError
from schema.ids import TenantId

if TYPE_CHECKING:
    from graph_service.app.services import Services


@dataclass(frozen=True, kw_only=True)
class _Task:
    """What is measured, and how.

    Attributes:
        forget: delete the tenants afterwards; unnecessary for a temporary database.
        output: file for the result, in addition to the terminal.
    """

    memories: list[Memory]
    facts: FactSource
    forget: bool
    output: Path | None


@command
def evaluate(
    call: Invocation,
    paths: Annotated[list[Path], typer.Argument(help="Files or folders of everyday memories.", show_default=False)],
    facts: Annotated[
        FactSource, typer.Option(help="Facts stored with the messages: none, or those of the files.")
    ] = FactSource.NONE,
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of memories.", show_default=False)] = None,
    output: Annotated[Path | None, typer.Option(help="Also write the result as JSON to this file.")] = None,
) -> None:
    """Measure recall on everyday memories: store each, ask its questions, delete it.

    Runs the whole service, with a temporary Neo4j or the one at NEO4J_URI. Each memory gets a new tenant; at NEO4J_URI
    its data is deleted at the end.
    """
    if call.tenant_name:
        raise InputError("eval creates its own tenants; leave out --tenant")
    settings = call.settings_with(service__port=0, service__open_browser=False)
    memories = read_memories(paths, memories_max=limit)
    if not any(memory.questions for memory in memories):
        raise InputError("these memories have no question; there is nothing to measure")
    check_output(output)
    task = _Task(memories=memories, facts=facts, forget=settings.neo4j.uri is not None, output=output)
    from graph_service.cli.service_runner import run_service

    with temporary_data(settings) as temporary:
        signals = StopSignals()
        measure = partial(_measure, call.terminal, task)
        run(run_service(temporary, call.terminal, signals, on_ready=measure, once=True), signals)


def check_output(output: Path | None) -> None:
    """Refuse a path that cannot be written before the run, which may take an hour."""
    if output is not None and (output.is_dir() or not output.resolve().parent.is_dir()):
        raise InputError(f"{output}: is not a file in an existing folder; choose another --output")


@contextmanager
def temporary_data(settings: Settings) -> Iterator[Settings]:
    """Yield settings with a temporary data directory, so that real memories are neither changed nor measured."""
    with tempfile.TemporaryDirectory(prefix="mnemoscene-eval-", ignore_cleanup_errors=True) as folder:
        yield replace(settings, data_dir=Path(folder))


@dataclass(frozen=True)
class EvaluatedService:
    """Operations that the evaluation needs besides GraphQL."""

    services: "Services"

    async def work_left(self, tenant: str) -> int:
        """Return the number of pending extraction and embedding jobs."""
        return await self.services.work_left(TenantId(tenant))

    async def forget(self, tenant: str, user_id: str) -> None:
        """Forget a user."""
        await self.services.memory.forgetting.user(TenantId(tenant), user_id)


async def _measure(terminal: Terminal, task: _Task, services: "Services", address: str) -> None:
    from graph_service.evaluation.everyday_run import evaluate_everyday, everyday_table
    from graph_service.evaluation.graphql_client import GraphqlClient

    async with GraphqlClient(address) as client:
        with ProgressBars(terminal) as bars:
            figures = await evaluate_everyday(
                client, EvaluatedService(services), task.memories, task.facts, bars, forget=task.forget
            )
    document = {**about(services), "everyday": figures.document()}
    if task.output is not None:
        await asyncio.to_thread(write_document, task.output, document)
    terminal.report(document, lambda: everyday_table(document["everyday"]))


def about(services: "Services") -> dict[str, Any]:
    """Return what was measured: the version, the embedder and the reader."""
    return {"version": version(), "embedder": services.embedder_name, "reader": services.reader_name}


def write_document(output: Path, document: dict[str, Any]) -> None:
    """Write the result as JSON."""
    output.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
