"""`mnemoscene stats`: count what a memory contains."""

from graph_service.cli.open_services import open_for
from graph_service.cli.options import AnyUserOption, Invocation, command
from graph_service.cli.signals import run


@command
def stats(call: Invocation, user: AnyUserOption = None) -> None:
    """Count messages, sessions, scenes, entities, facts and waiting jobs."""
    run(_count(call, user))


async def _count(call: Invocation, user: str | None) -> None:
    async with open_for(call) as services:
        document = await services.memory.reads.stats(call.tenant, user)
        backlog = await services.memory.backlog(call.tenant)
    document |= {"jobs_waiting": backlog.waiting + backlog.leased, "dead_letters": backlog.dead}
    call.terminal.report(
        document, lambda: "\n".join(f"{name.replace('_', ' '):14} {n:>10,}" for name, n in document.items())
    )
