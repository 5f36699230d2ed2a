"""The options that every command takes, before or after its name."""

import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from graph_service.config.settings import Settings, load_settings, secrets_of
from graph_service.observability.structured_log import configure_logging
from schema.errors import InputError

# Words on the command line that must be one of a few.

E = TypeVar("E", bound=StrEnum)


def one_of(choices: type[E], word: str, option: str) -> E:
    """Return the choice that a word names.

    Raises:
        InputError: it names none; the message lists them.
    """
    try:
        return choices(word.casefold())
    except ValueError as error:
        raise InputError(f"{option} is {word!r}: use one of {', '.join(choices)}") from error


ConfigOption = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="A TOML file with settings.", show_default=False)
]
TenantOption = Annotated[
    str | None, typer.Option("--tenant", metavar="NAME", help="Whose memories; 'default' if nothing says otherwise.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Answer with one JSON document, for programs.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """What was said before the command's name."""

    config: Path | None = None
    tenant: str | None = None
    as_json: bool = False


def merged(ctx: typer.Context, config: Path | None, tenant: str | None, as_json: bool) -> Common:
    """Return the common options; what stands after the command's name wins."""
    before = ctx.find_object(Common) or Common()
    return Common(config=config or before.config, tenant=tenant or before.tenant, as_json=as_json or before.as_json)


def settings_of(common: Common, **options: Any) -> Settings:
    """Return the settings for one command; from here on its log is what `log` makes of it.

    Args:
        options: by `section__key`; None where the command line said nothing.
    """
    said = {key.replace("__", "."): value for key, value in options.items()}
    settings = load_settings(config=common.config, options={"tenant": common.tenant, **said})
    if settings.folder.note:
        # Standard output belongs to the answer, and to the protocol of `mnemograph mcp`.
        sys.stderr.write(f"mnemograph: {settings.folder.note}\n")
    configure_logging(settings.log, secrets=secrets_of(settings))
    return settings
