"""Measure recall on benchmark conversations beside BM25 and nearest vectors."""

import asyncio
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graph_service.cli.commands.evaluate import EvaluatedService, about, check_output, temporary_data, write_document
from graph_service.cli.options import Invocation, command
from graph_service.cli.service_runner import run_service
from graph_service.cli.signals import StopSignals, run
from graph_service.cli.terminal import ProgressBars, Terminal
from graph_service.evaluation.everyday_memories import FactSource
from graph_service.evaluation.graphql_client import GraphqlClient
from tests.benchmarks.evaluation.dataset import Conversation, read_datasets
from tests.benchmarks.evaluation.report import document_of, tables_of
from tests.benchmarks.evaluation.run import Plan, evaluate

if TYPE_CHECKING:
    from graph_service.app.services import Services


@dataclass(frozen=True, kw_only=True)
class _Task:
    conversations: list[Conversation]
    plan: Plan
    output: Path | None


@command
def main(
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
    """Store each conversation, ask its questions, delete it.

    Runs the whole service, with a temporary Neo4j or the one at NEO4J_URI. Each conversation gets a new tenant; at
    NEO4J_URI its data is deleted at the end.
    """
    settings = call.settings_with(service__port=0, service__open_browser=False)
    conversations = read_datasets(paths, conversations_max=limit_conversations, captions=captions)
    if not any(conversation.answerable for conversation in conversations):
        raise typer.BadParameter("no question in these data sets has a gold answer; there is nothing to measure")
    check_output(output)
    plan = Plan(facts=facts, captions=captions, concurrency=concurrency, forget=settings.neo4j.uri is not None)
    task = _Task(conversations=conversations, plan=plan, output=output)
    with temporary_data(settings) as temporary:
        signals = StopSignals()
        measure = partial(_measure, call.terminal, task)
        run(run_service(temporary, call.terminal, signals, on_ready=measure, once=True), signals)


async def _measure(terminal: Terminal, task: _Task, services: "Services", address: str) -> None:
    async with GraphqlClient(address) as client:
        with ProgressBars(terminal) as bars:
            figures = await evaluate(
                client, EvaluatedService(services), services.embedder, task.conversations, task.plan, bars
            )
    document = document_of(figures, about=about(services))
    if task.output is not None:
        await asyncio.to_thread(write_document, task.output, document)
    terminal.report(document, lambda: tables_of(document))


if __name__ == "__main__":
    typer.run(main)
