"""`mnemograph serve` and `mnemograph demo`: the service, empty or with something to look at."""

import contextlib
import ctypes
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final
from urllib.parse import quote

import typer

from graph_service.cli.options import Common, ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import Stops, run
from graph_service.cli.terminal import Steps, Terminal
from graph_service.config.settings import Settings
from schema.ids import DEFAULT_TENANT

if TYPE_CHECKING:
    from graph_service.app.services import Services
    from graph_service.cli.service_runner import Afterwards

# Of glibc: how many heaps threads allocate from.
_M_ARENA_MAX: Final = -8

HostOption = Annotated[str | None, typer.Option(help="The address to listen on; 127.0.0.1 if not given.")]
PortOption = Annotated[int | None, typer.Option(help="The port; 7780 if not given, 0 for any free one.")]
NoBrowserOption = Annotated[bool, typer.Option("--no-browser", help="Print the viewer's address, open nothing.")]


def serve(
    ctx: typer.Context,
    host: HostOption = None,
    port: PortOption = None,
    no_browser: NoBrowserOption = False,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run the service: GraphQL, WebSocket and the viewer, with a Neo4j of its own unless NEO4J_URI names one."""
    common = merged(ctx, config, tenant, as_json)
    settings = _settings(common, host, port, no_browser)
    terminal = Terminal(as_json=common.as_json)
    _run(settings, terminal, partial(_announce, settings, terminal), lasting=True)


def demo(
    ctx: typer.Context,
    host: HostOption = None,
    port: PortOption = None,
    no_browser: NoBrowserOption = False,
    once: Annotated[bool, typer.Option("--once", help="Stop after the answers.")] = False,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Run the service with real conversations in it, and ask three questions about them."""
    common = merged(ctx, config, tenant, as_json)
    settings = _settings(common, host, port, no_browser)
    terminal = Terminal(as_json=common.as_json)
    _run(settings, terminal, partial(_present, settings, terminal), once=once)


def viewer_address(address: str, tenant: str) -> str:
    """Return where the viewer shows a tenant."""
    return f"{address}/" if tenant == DEFAULT_TENANT else f"{address}/?tenant={quote(tenant)}"


def _settings(common: Common, host: str | None, port: int | None, no_browser: bool) -> Settings:
    options = {"service__host": host, "service__port": port, "service__open_browser": False if no_browser else None}
    return settings_of(common, **options)


def _share_freed_memory() -> None:
    """Have threads allocate from two arenas instead of one for each of many threads; does nothing without glibc.

    What one thread frees is then used by the next. Measured: a flood of long texts leaves the process 70 MB larger
    instead of 180 MB; embedding takes the same time.
    """
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 2)


def _run(
    settings: Settings, terminal: Terminal, afterwards: "Afterwards", *, once: bool = False, lasting: bool = False
) -> None:
    from graph_service.cli.service_runner import run_service

    _share_freed_memory()
    stops = Stops()
    run(run_service(settings, terminal, stops, afterwards=afterwards, once=once, lasting=lasting), stops)


async def _announce(settings: Settings, terminal: Terminal, parts: "Services", address: str) -> None:
    from graph_service.cli.service_runner import open_browser

    if terminal.as_json:
        terminal.answer(_where(address, settings.tenant), str)
    terminal.say(f"reads with: {parts.reader_name}; vectors: {parts.embedder_name}; GraphQL: {address}/graphql")
    open_browser(settings, viewer_address(address, settings.tenant), terminal)


async def _present(settings: Settings, terminal: Terminal, parts: "Services", address: str) -> None:
    """Load the conversations, show how they are read, and ask the questions."""
    from graph_service.cli.answer_tables import answer_document, answer_view
    from graph_service.cli.commands.import_files import store_all
    from graph_service.cli.open_services import watch_reading
    from graph_service.cli.service_runner import open_browser
    from graph_service.demo.scenario import DEMO_TENANT, QUESTIONS, demo_conversations

    shown_at = viewer_address(address, DEMO_TENANT)
    open_browser(settings, shown_at, terminal)
    with Steps(terminal) as steps:
        stored, repeated = await store_all(parts, DEMO_TENANT, demo_conversations(), steps)
        await watch_reading(parts, DEMO_TENANT, steps)
    answers: list[dict[str, Any]] = []
    for question in QUESTIONS:
        found = await parts.memory.recall(DEMO_TENANT, question)
        answers.append({"user": question.user_id, **answer_document(question.text, found)})
        if not terminal.as_json:
            terminal.answer(None, partial(answer_view, question.text, found))
    document = {**_where(address, DEMO_TENANT), "stored": stored, "repeated": repeated, "answers": answers}
    if terminal.as_json:
        terminal.answer(document, str)
    terminal.say(f"ask yourself: mnemograph --tenant {DEMO_TENANT} recall '…' --user {QUESTIONS[0].user_id}")
    terminal.say(f"viewer: {shown_at}    (Ctrl-C stops)")


def _where(address: str, tenant: str) -> dict[str, Any]:
    return {
        "viewer": viewer_address(address, tenant),
        "graphql": f"{address}/graphql",
        "live": f"{address.replace('http', 'ws', 1)}/live",
        "tenant": tenant,
    }
