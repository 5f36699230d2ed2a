"""`mnemoscene eval`: measure recall on data sets, compared with simple searches."""

import asyncio
import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graph_service.cli.open_services import open_services
from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import run
from graph_service.cli.terminal import ProgressBars, Terminal
from graph_service.config.settings import Settings
from graph_service.evaluation.dataset import DataSets, FactSource, read_all
from graph_service.observability.columns import Columns
from graph_service.version import version
from schema.errors import InputError

if TYPE_CHECKING:
    from graph_service.evaluation.run import Plan


@command
def evaluate(
    call: Invocation,
    paths: Annotated[list[Path], typer.Argument(help="Data set files or folders.", show_default=False)],
    facts: Annotated[
        FactSource, typer.Option(help="Facts stored with the messages: none, or the data sets' own annotations.")
    ] = FactSource.NONE,
    captions: Annotated[bool, typer.Option(help="Store captions of the pictures in a conversation.")] = True,
    limit_conversations: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of conversations of each data set.", show_default=False)
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=64, help="Questions asked at the same time.")] = 1,
    output: Annotated[Path | None, typer.Option(help="Also write the result as JSON to this file.")] = None,
) -> None:
    """Measure recall on data sets: store each conversation, ask its questions, delete it.

    Runs the whole service, with a temporary Neo4j or the one at NEO4J_URI. Each conversation gets a new tenant; at
    NEO4J_URI its data is deleted at the end.
    """
    if call.tenant_name:
        raise InputError("eval creates its own tenants; leave out --tenant")
    settings = call.settings
    datasets = read_all(paths, conversations_max=limit_conversations, captions=captions)
    measurable = any(one.answerable for one in datasets.conversations) or any(
        one.questions for one in datasets.memories
    )
    if not measurable:
        raise InputError("no question in these data sets has a gold answer; there is nothing to measure")
    # Before the run, which may take an hour.
    if output is not None and (output.is_dir() or not output.resolve().parent.is_dir()):
        raise InputError(f"{output}: is not a file in an existing folder; choose another --output")
    # Imports numpy and more, so it comes after the checks: mistakes are reported at once.
    from graph_service.evaluation.run import Plan

    plan = Plan(
        facts=facts,
        captions=captions,
        concurrency=concurrency,
        forget=settings.neo4j.uri is not None,
        hidden=settings.display.hidden,
    )
    # Real memories are neither changed nor measured.
    with tempfile.TemporaryDirectory(prefix="mnemoscene-eval-", ignore_cleanup_errors=True) as folder:
        run(_measure(replace(settings, data_dir=Path(folder)), call.terminal, datasets, plan, output))


async def _measure(
    settings: Settings, terminal: Terminal, datasets: DataSets, plan: "Plan", output: Path | None
) -> None:
    from graph_service.app.application import working
    from graph_service.evaluation.report import document_of, everyday_document_of, everyday_table, tables_of
    from graph_service.evaluation.run import evaluate as evaluated
    from graph_service.evaluation.run import evaluate_everyday
    from graph_service.runtime.shutdown import Stopping

    tables: list[Columns] = []
    async with open_services(settings, terminal) as services, working(services, Stopping()):
        await services.database.wait()
        memory, work_left = services.memory, services.work_left
        document: dict[str, Any] = {
            "version": version(),
            "embedder": services.embedder_name,
            "reader": services.reader_name,
        }
        with ProgressBars(terminal) as bars:
            if datasets.conversations:
                figures = await evaluated(memory, work_left, services.embedder, datasets.conversations, plan, bars)
                document = document_of(figures, about=document)
                tables += tables_of(document)
            if datasets.memories:
                run = await evaluate_everyday(memory, work_left, datasets.memories, plan, bars)
                document["everyday"] = everyday_document_of(run)
                tables.append(everyday_table(document["everyday"]))
    if output is not None:
        text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
        await asyncio.to_thread(output.write_text, text, encoding="utf-8")
    terminal.report(document, lambda: tables)
