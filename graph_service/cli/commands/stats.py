"""`mnemoscene stats`: count what a memory contains."""

from typing import Final

from graph_service.cli.options import AnyUserOption, Invocation, command
from graph_service.cli.service_client import ask_service

_COUNT: Final = (
    "query($user: String) { stats(userId: $user) { messages sessions scenes entities users agents facts closedFacts }"
    " jobs: jobStatus { waiting leased dead } }"
)


@command
async def stats(call: Invocation, user: AnyUserOption = None) -> None:
    """Count messages, sessions, scenes, entities, facts and waiting jobs."""
    answer = await ask_service(call, _COUNT, user=user)
    jobs = answer["jobs"]
    document = answer["stats"] | {"jobs_waiting": jobs["waiting"] + jobs["leased"], "dead_letters": jobs["dead"]}
    call.terminal.report(
        document, lambda: "\n".join(f"{name.replace('_', ' '):14} {n:>10,}" for name, n in document.items())
    )
