"""`mnemoscene serve`, `demo` and `mcp`: run the service, with example conversations, or for one agent."""

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote

import typer

from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import StopSignals, run
from graph_service.cli.terminal import ProgressBars, Terminal
from graph_service.config.sections import Aliases, ToolSet
from graph_service.config.settings import Settings
from graph_service.runtime.freed_memory import share_freed_memory
from schema.ids import DEFAULT_TENANT

if TYPE_CHECKING:
    from graph_service.app.services import Services
    from graph_service.cli.service_runner import OnReady


HostOption = Annotated[str | None, typer.Option(help="The address to listen on; 127.0.0.1 by default.")]
PortOption = Annotated[int | None, typer.Option(help="The port; 7780 by default, 0 for any free one.")]
NoBrowserOption = Annotated[bool, typer.Option("--no-browser", help="Print the viewer's address, but open no browser.")]


@command
def serve(
    call: Invocation,
    host: HostOption = None,
    port: PortOption = None,
    no_browser: NoBrowserOption = False,
    change_embedder: Annotated[
        bool,
        typer.Option("--change-embedder", help="Compute all vectors again if the embedder is not the stored one."),
    ] = False,
) -> None:
    """Run the service (GraphQL, WebSocket, viewer), with its own Neo4j unless NEO4J_URI is set."""
    settings = _settings(call, host, port, no_browser, embedding__change_embedder=change_embedder or None)
    _run(settings, call.terminal, partial(_announce, settings, call.terminal), lasting=True)


@command
def demo(
    call: Invocation,
    host: HostOption = None,
    port: PortOption = None,
    no_browser: NoBrowserOption = False,
    once: Annotated[bool, typer.Option("--once", help="Stop after the three answers.")] = False,
) -> None:
    """Run the service with example conversations, and ask three questions about them."""
    # The demo is for people, also where its output is a file.
    settings = _settings(call, host, port, no_browser, log__format="text")
    _run(settings, call.terminal, partial(_present, settings, call.terminal), once=once)


def viewer_address(address: str, tenant: str) -> str:
    """Return the viewer's URL for a tenant."""
    return f"{address}/" if tenant == DEFAULT_TENANT else f"{address}/?tenant={quote(tenant)}"


def _settings(
    call: Invocation, host: str | None, port: int | None, no_browser: bool, **more: bool | str | None
) -> Settings:
    options = {"service__host": host, "service__port": port, "service__open_browser": False if no_browser else None}
    return call.settings_with(**options, **more)


def _run(
    settings: Settings, terminal: Terminal, on_ready: "OnReady", *, once: bool = False, lasting: bool = False
) -> None:
    from graph_service.cli.service_runner import run_service

    share_freed_memory()
    signals = StopSignals()
    run(run_service(settings, terminal, signals, on_ready=on_ready, once=once, lasting=lasting), signals)


async def _announce(settings: Settings, terminal: Terminal, services: "Services", address: str) -> None:
    from graph_service.cli.service_runner import open_browser

    if terminal.as_json:
        terminal.report(_addresses(address, settings.tenant), str)
    terminal.say(f"extraction: {services.reader_name}; embedder: {services.embedder_name}; GraphQL: {address}/graphql")
    open_browser(settings, viewer_address(address, settings.tenant), terminal)


async def _present(settings: Settings, terminal: Terminal, services: "Services", address: str) -> None:
    from graph_service.cli.commands.memory import answer_view, ask_question
    from graph_service.cli.commands.transfer import store_all
    from graph_service.cli.service_client import client_in_process
    from graph_service.cli.service_runner import open_browser
    from graph_service.demo.scenario import DEMO_TENANT, QUESTIONS, demo_conversations

    viewer = viewer_address(address, DEMO_TENANT)
    open_browser(settings, viewer, terminal)
    with ProgressBars(terminal) as bars:
        stored, repeated = await store_all(services, DEMO_TENANT, demo_conversations(), bars)
    client = client_in_process(services, DEMO_TENANT, run_jobs=False)
    await client.finish_jobs(terminal)
    answers: list[dict[str, Any]] = []
    for question in QUESTIONS:
        user, evidence = question.user_id, question.evidence
        answer = await ask_question(client, question.text, user=user, limit=question.limit, evidence=evidence)
        answers.append({"user": user, **answer})
        if not terminal.as_json:
            terminal.report(None, partial(answer_view, answer))
    document = {**_addresses(address, DEMO_TENANT), "stored": stored, "repeated": repeated, "answers": answers}
    if terminal.as_json:
        terminal.report(document, str)
    terminal.say(f"ask your own question: mnemoscene --tenant {DEMO_TENANT} recall '…' --user {QUESTIONS[0].user_id}")
    terminal.say(f"viewer: {viewer}    (Ctrl-C stops)")


def _addresses(address: str, tenant: str) -> dict[str, Any]:
    return {
        "viewer": viewer_address(address, tenant),
        "graphql": f"{address}/graphql",
        "live": f"{address.replace('http', 'ws', 1)}/live",
        "tenant": tenant,
    }


@command
def mcp(
    call: Invocation,
    user: Annotated[str | None, typer.Option(help="The user of calls that do not name one.")] = None,
    tools: Annotated[
        ToolSet | None, typer.Option(help="List five tools (core, the default), or all.", show_default=False)
    ] = None,
    aliases: Annotated[
        Aliases | None, typer.Option(help="Offer the tools of another memory server instead.", show_default=False)
    ] = None,
) -> None:
    """Serve MCP on standard input and output, through a running service or on its own."""
    settings = call.settings_with(mcp__user=user, mcp__tools=tools, mcp__aliases=aliases)
    from graph_service.cli.mcp_backends import serve

    run(serve(settings, call.terminal))
