"""`mnemoscene stats`, `sessions`, `layers`, `jobs` and `sync`: what a memory contains, and its background work."""

from datetime import datetime
from typing import Annotated, Any

import typer

from graph_service.cli.options import AnyUserOption, Invocation, UserOption, command
from graph_service.cli.service_client import DOCUMENTS, ask_service, service_of
from graph_service.cli.terminal import ProgressBars
from graph_service.observability.columns import Fields, listing
from graph_service.observability.progress import Step
from schema.errors import InputError
from schema.zones import minute_in


@command
async def stats(call: Invocation, user: AnyUserOption = None) -> None:
    """Count messages, sessions, scenes, entities, facts and waiting jobs."""
    answer = await ask_service(call, DOCUMENTS["stats"], user=user)
    jobs = answer["jobs"]
    document = answer["stats"] | {"jobs_waiting": jobs["waiting"] + jobs["leased"], "dead_letters": jobs["dead"]}
    call.terminal.report(
        document, lambda: "\n".join(f"{name.replace('_', ' '):14} {n:>10,}" for name, n in document.items())
    )


sessions = typer.Typer(help="List and close a user's sessions.", no_args_is_help=True)


@sessions.command("list")
@command
async def list_sessions(
    call: Invocation,
    user: UserOption,
    limit: Annotated[int, typer.Option(help="Maximum number of sessions, 1 to 100.")] = 50,
) -> None:
    """List the sessions of a user, latest first."""
    async with service_of(call) as service:
        found = await service.nodes(DOCUMENTS["sessions"], limit=limit, user=user)
    call.terminal.answer(
        {"sessions": found}, lambda: "\n".join(map(session_line, found)) or f"user {user!r} has no sessions"
    )


@sessions.command("close")
@command
async def close(
    call: Invocation,
    session: Annotated[str, typer.Argument(help="The session's id.", show_default=False)],
    user: UserOption,
) -> None:
    """Close a session, and wait until its facts are extracted."""
    async with service_of(call) as service:
        await service.ask(DOCUMENTS["closeSession"], user=user, session=session)
        await service.finish_jobs(call.terminal)
        view = (await service.ask(DOCUMENTS["session"], user=user, session=session))["session"]
    call.terminal.answer(view, lambda: session_line(view))


def session_line(view: dict[str, Any]) -> str:
    """Return one line about a session."""
    counts = f"{view['messages']} messages, {view['scenes']} scenes"
    problem = f"; {view['problem']}" if view["problem"] else ""
    last_at = minute_in(datetime.fromisoformat(view["last_at"]), view["zone"])
    return f"{view['session_id']}: {view['state']}, {counts}, last message {last_at}{problem}"


layers = typer.Typer(help="Summaries of scenes and sessions: L0, L1, and the full text L2.", no_args_is_help=True)


@layers.command("show")
@command
async def show_layer(
    call: Invocation,
    uri: Annotated[
        str,
        typer.Argument(help="The URI of a scene, session, message, user or agent; may end in #L0.", show_default=False),
    ],
    after: Annotated[
        str | None, typer.Option(help="The cursor of the previous part of a long L2 text.", show_default=False)
    ] = None,
) -> None:
    """Print a text; create and store it first if it is missing."""
    found = (await ask_service(call, DOCUMENTS["layer"], uri=uri, after=after))["layer"]
    call.terminal.answer(found, lambda: found["text"])


@layers.command("generate")
@command
async def generate(
    call: Invocation,
    user: Annotated[str | None, typer.Option(help="Only this user's sessions.")] = None,
    session: Annotated[str | None, typer.Option(help="Only this session of the user.")] = None,
) -> None:
    """Create missing and outdated summaries of one session, of one user's sessions, or of all sessions."""
    done = (await ask_service(call, DOCUMENTS["generateLayers"], user=user, session=session))["done"]
    counts = f"{done['created']} created, {done['unchanged']} unchanged, {done['failed']} failed"
    call.terminal.answer(done, lambda: f"{done['sessions']} sessions: {counts}")


jobs = typer.Typer(help="Dead letters: background jobs that failed too often.", invoke_without_command=True)

IdsArgument = Annotated[list[str] | None, typer.Argument(help="Job ids.", show_default=False, metavar="[ID]...")]


@jobs.callback()
@command
async def show_jobs(call: Invocation) -> None:
    """List the dead letters, latest first."""
    if call.subcommand is not None:
        return
    answer = await ask_service(call, DOCUMENTS["jobs"])
    letters, backlog = answer["letters"]["nodes"], answer["jobs"]
    columns: Fields = {
        "id": "id",
        "job": "kind",
        "user": "user_id",
        "session": "session_id",
        "attempts": "attempts",
        "last": "failed_at",
        "error": "error",
    }
    title = f"{backlog['waiting'] + backlog['leased']} waiting or running, {backlog['dead']} dead letters"
    call.terminal.answer(backlog | {"dead_letters": letters}, lambda: listing(letters, columns, title=title))


@jobs.command()
@command
async def retry(
    call: Invocation,
    ids: IdsArgument = None,
    everything: Annotated[bool, typer.Option("--all", help="All dead letters of the tenant.")] = False,
) -> None:
    """Run dead letters again, now."""
    if bool(ids) == everything:
        raise InputError("name the ids of the jobs to retry, or use --all")
    async with service_of(call) as service:
        retried = (await service.ask(DOCUMENTS["retryDeadLetters"], ids=ids or None))["retried"]
        await service.finish_jobs(call.terminal)
        left = (await service.ask(DOCUMENTS["jobs"]))["letters"]["nodes"]
    document = {"retried": retried, "dead_letters": left}
    call.terminal.answer(document, lambda: f"{retried} retried, {len(left)} dead letters")


@jobs.command()
@command
async def cancel(
    call: Invocation,
    ids: Annotated[list[str], typer.Argument(help="Job ids.", show_default=False)],
) -> None:
    """Cancel jobs; the messages stay."""
    done = await ask_service(call, DOCUMENTS["cancelJobs"], ids=ids)
    call.terminal.answer(done, lambda: f"{done['cancelled']} cancelled")


@command
async def sync(
    call: Invocation,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Report only, repair nothing.")] = False,
) -> None:
    """Check texts, vectors, scenes, facts and jobs of a tenant for consistency, and repair them."""
    async with service_of(call) as service:
        with ProgressBars(call.terminal) as bars:
            bars(Step(part="sync", doing="comparing"))
            report = (await service.ask(DOCUMENTS["sync"], dryRun=dry_run))["sync"]
        if report["indexed"]:
            await service.finish_jobs(call.terminal)
    report["found"] = {one["problem"].lower(): one["count"] for one in report["found"]}

    repaired = "to repair" if dry_run else "repaired"
    count = sum(report["found"].values()) if dry_run else report["indexed"]
    title = f"{report['total']} checked, {report['skipped']} consistent, {count} {repaired}, {report['errors']} errors"
    rows = [{"problem": name.replace("_", " "), "found": n} for name, n in sorted(report["found"].items())]
    call.terminal.report(report, lambda: listing(rows, {"problem": "problem", "found": "found"}, title=title))
