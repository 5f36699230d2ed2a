"""`mnemograph stats`: how much a memory holds."""

from typing import TYPE_CHECKING, Annotated

import typer

from graph_service.cli.open_services import opened
from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from schema.tenant_name import tenant_named

if TYPE_CHECKING:
    from graph_service.config.settings import Settings


def stats(
    ctx: typer.Context,
    user: Annotated[str | None, typer.Option(help="Whose memory; everybody's without it.", show_default=False)] = None,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Tell how many messages, sessions, scenes, entities and facts there are, and how much work waits."""
    common = merged(ctx, config, tenant, as_json)
    run(_counted(settings_of(common), user, Terminal(as_json=common.as_json)))


async def _counted(settings: "Settings", user: str | None, terminal: Terminal) -> None:
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        document = await parts.memory.reads.stats(tenant, user)
        backlog = await parts.memory.backlog(tenant)
    document |= {"work_waiting": backlog.waiting + backlog.leased, "work_given_up": backlog.dead}
    terminal.answer(
        document, lambda: "\n".join(f"{name.replace('_', ' '):14} {n:>10,}" for name, n in document.items())
    )
