"""`mnemoscene stats`: count what a memory contains."""

from typing import Final

from graph_service.cli.options import AnyUserOption, Invocation, command
from graph_service.cli.service_client import service_of
from graph_service.cli.signals import run_client

_COUNT: Final = (
    "query($user: String) { stats(userId: $user) { messages sessions scenes entities users agents facts closedFacts }"
    " jobs: jobStatus { waiting leased dead } }"
)


@command
def stats(call: Invocation, user: AnyUserOption = None) -> None:
    """Count messages, sessions, scenes, entities, facts and waiting jobs."""
    run_client(_count(call, user))


async def _count(call: Invocation, user: str | None) -> None:
    async with service_of(call) as service:
        answer = await service.ask(_COUNT, user=user)
    jobs = answer["jobs"]
    document = answer["stats"] | {"jobs_waiting": jobs["waiting"] + jobs["leased"], "dead_letters": jobs["dead"]}
    call.terminal.report(
        document, lambda: "\n".join(f"{name.replace('_', ' '):14} {n:>10,}" for name, n in document.items())
    )
