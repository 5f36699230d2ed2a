"""`mnemograph eval`: how well questions about known conversations are answered, beside simple searches."""

import asyncio
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType

from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import Stops, run
from graph_service.cli.terminal import Steps, Terminal
from graph_service.config.settings import Settings
from graph_service.evaluation.dataset import DataSets, FactsBrought, read_all
from graph_service.version import version
from schema.errors import InputError
from schema.ids import TenantId

if TYPE_CHECKING:
    from graph_service.app.services import Services
    from graph_service.evaluation.run import Plan


def evaluate(
    ctx: typer.Context,
    paths: Annotated[list[Path], typer.Argument(help="Files or folders of data sets.", show_default=False)],
    facts: Annotated[
        FactsBrought, typer.Option(help="Facts handed in with the messages: none, or the data sets' own notes.")
    ] = FactsBrought.NONE,
    captions: Annotated[bool, typer.Option(help="Hand in what the pictures of a conversation show.")] = True,
    limit_conversations: Annotated[
        int | None, typer.Option(min=1, help="At most so many of each data set.", show_default=False)
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=64, help="Questions asked at the same time.")] = 1,
    output: Annotated[Path | None, typer.Option(help="Write the JSON document to this file as well.")] = None,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Measure recall on data sets: stores each conversation, asks its questions, forgets it again.

    It runs the whole service, with a Neo4j of its own that is thrown away, or with the one that NEO4J_URI names; there
    each conversation has a tenant of its own, which is forgotten at the end.
    """
    common = merged(ctx, config, tenant, as_json)
    if common.tenant:
        raise InputError("eval makes tenants of its own and throws them away; leave out --tenant")
    settings = settings_of(common, service__port=0, service__open_browser=False)
    datasets = read_all(paths, conversations_max=limit_conversations, captions=captions)
    asked = any(one.answerable for one in datasets.conversations) or any(one.questions for one in datasets.memories)
    if not asked:
        raise InputError("no question of these data sets has gold; there is nothing to measure")
    _check_output(output)
    # Only now: it brings numpy and more, for which a mistake should not wait.
    from graph_service.evaluation.run import Plan

    plan = Plan(facts=facts, captions=captions, concurrency=concurrency, forget=settings.neo4j.uri is not None)
    _run(settings, Terminal(as_json=common.as_json), datasets, plan, output)


def _check_output(output: Path | None) -> None:
    """An hour's figures must not be lost to a path that cannot be written."""
    if output is not None and (output.is_dir() or not output.resolve().parent.is_dir()):
        raise InputError(f"{output}: is no file in a folder that exists; choose another --output")


def _run(
    settings: Settings,
    terminal: Terminal,
    datasets: DataSets,
    plan: "Plan",
    output: Path | None,
) -> None:
    from graph_service.cli.service_runner import run_service

    with _own_database(settings) as own:
        stops = Stops()
        measure = partial(_measure, terminal, datasets, plan, output)
        run(run_service(own, terminal, stops, afterwards=measure, once=True), stops)


@contextmanager
def _own_database(settings: Settings) -> Iterator[Settings]:
    """Settings with a folder that is thrown away, so that nobody's memories are touched or slow a recall down."""
    with tempfile.TemporaryDirectory(prefix="mnemograph-eval-", ignore_cleanup_errors=True) as folder:
        yield replace(settings, data_dir=Path(folder))


@dataclass(frozen=True)
class _ServiceControl:
    parts: "Services"

    async def work_left(self, tenant: str) -> int:
        return await self.parts.work_left(TenantId(tenant))

    async def forget(self, tenant: str, user_id: str) -> None:
        await self.parts.memory.forgetting.user(TenantId(tenant), user_id)


async def _measure(
    terminal: Terminal,
    datasets: DataSets,
    plan: "Plan",
    output: Path | None,
    parts: "Services",
    address: str,
) -> None:
    from graph_service.evaluation.everyday_run import evaluate_everyday, everyday_table
    from graph_service.evaluation.graphql_client import GraphqlClient
    from graph_service.evaluation.report import document_of, tables_of
    from graph_service.evaluation.run import evaluate as evaluated

    document: dict[str, Any] = {
        "version": version(),
        "embedder": parts.embedder_name,
        "reader": parts.reader_name,
    }
    tables: list[Callable[[], RenderableType]] = []
    async with GraphqlClient(address) as client:
        with Steps(terminal) as steps:
            if datasets.conversations:
                figures = await evaluated(
                    client, _ServiceControl(parts), parts.embedder, datasets.conversations, plan, steps
                )
                document = document_of(figures, about=document)
                tables.append(partial(tables_of, document))
            if datasets.memories:
                run = await evaluate_everyday(
                    client, _ServiceControl(parts), datasets.memories, plan.facts, steps, forget=plan.forget
                )
                document["everyday"] = run.document()
                tables.append(partial(everyday_table, document["everyday"]))
    if output is not None:
        await asyncio.to_thread(_write, output, document)
    terminal.answer(document, lambda: Group(*(table() for table in tables)))


def _write(output: Path, document: dict[str, Any]) -> None:
    output.write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
