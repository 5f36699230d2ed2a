"""Declare commands: the options shared by all commands, and the parsing of values."""

import functools
import inspect
import sys
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import typer

from graph_service.cli.signals import run_client
from graph_service.cli.terminal import Terminal
from graph_service.config.sections import EmbeddingSettings, LlmSettings
from graph_service.config.settings import CLIENT_SECTIONS, SECTIONS, Settings, load_settings, secrets_of
from graph_service.observability.structured_log import configure_logging
from schema.errors import InputError
from schema.ids import TenantId, tenant_named

S = TypeVar("S", bound=str)

ConfigOption = Annotated[
    Path | None, typer.Option("--config", metavar="FILE", help="A TOML file with settings.", show_default=False)
]
TenantOption = Annotated[
    str | None, typer.Option("--tenant", metavar="NAME", help="The tenant; 'default' unless a setting names another.")
]
UrlOption = Annotated[
    str | None,
    typer.Option("--url", metavar="URL", help="The service to ask, http://host:port; that of this machine by default."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as one JSON document.")]
UserOption = Annotated[str, typer.Option(help="The user who owns the memory.", show_default=False)]
AnyUserOption = Annotated[
    str | None, typer.Option("--user", help="Only this user's memory; all users by default.", show_default=False)
]


@dataclass(frozen=True, kw_only=True)
class Invocation:
    """One call of a command, with the options that all commands share.

    Attributes:
        tenant_name: the option `--tenant`, if given; `tenant` is the effective tenant.
        url: the option `--url`, if given; `client_settings.url` is the effective one.
        subcommand: in the callback of a command group, the name of the command that is called next.
    """

    config: Path | None = None
    tenant_name: str | None = None
    url: str | None = None
    as_json: bool = False
    subcommand: str | None = None

    @functools.cached_property
    def settings(self) -> Settings:
        """Load the settings, and configure logging accordingly."""
        return self.settings_with()

    @property
    def settings_without_models(self) -> Settings:
        """Load the settings for a command that needs no models, which take seconds to load."""
        return replace(self.settings, embedding=EmbeddingSettings(kind="none"), llm=LlmSettings())

    @functools.cached_property
    def client_settings(self) -> Settings:
        """Load only what a client of a service needs, which is ten times faster; the other settings are defaults."""
        return self._load(CLIENT_SECTIONS)

    @functools.cached_property
    def terminal(self) -> Terminal:
        return Terminal(as_json=self.as_json)

    @functools.cached_property
    def tenant(self) -> TenantId:
        """Return the tenant of the command line or the settings.

        Raises:
            InputError: the name is not valid.
        """
        return tenant_named(self.client_settings.tenant)

    def settings_with(self, **options: Any) -> Settings:
        """Load the settings with options of the command line, and configure logging accordingly.

        Args:
            options: settings from the command line as `section__key`; None where the option was not given.
        """
        return self._load(SECTIONS, {key.replace("__", "."): value for key, value in options.items()})

    def _load(self, sections: Collection[str], options: Mapping[str, Any] | None = None) -> Settings:
        given = {"tenant": self.tenant_name, "url": self.url, **(options or {})}
        settings = load_settings(config=self.config, options=given, sections=sections)
        if settings.folder.note:
            _say_once(settings.folder.note)
        configure_logging(settings.log, secrets=secrets_of(settings))
        Terminal.hidden = settings.display.hidden
        return settings


@functools.lru_cache(maxsize=8)
def _say_once(note: str) -> None:
    # Standard output belongs to the result, and to the protocol of `mnemoscene mcp`.
    sys.stderr.write(f"mnemoscene: {note}\n")


def _common(
    config: ConfigOption = None, tenant: TenantOption = None, url: UrlOption = None, as_json: JsonOption = False
) -> tuple[Path | None, str | None, str | None, bool]:
    return config, tenant, url, as_json


_COMMON: Final = tuple(inspect.signature(_common).parameters.values())


def command(function: Callable[..., Coroutine[Any, Any, None] | None]) -> Callable[..., None]:
    """Add `--config`, `--tenant`, `--url` and `--json` to a typer command, and pass it an `Invocation` first.

    These options may come before or after the command's name; the latter takes precedence. A command may be a
    coroutine function, which `run_client` runs.
    """

    @functools.wraps(function)
    def wrapper(ctx: typer.Context, **options: Any) -> None:
        config, tenant, url, as_json = (options.pop(one.name) for one in _COMMON)
        before = ctx.find_object(Invocation) or Invocation()
        ctx.obj = Invocation(
            config=config or before.config,
            tenant_name=tenant or before.tenant_name,
            url=url or before.url,
            as_json=as_json or before.as_json,
        )
        work = function(replace(ctx.obj, subcommand=ctx.invoked_subcommand), **options)
        if work is not None:
            run_client(work)

    signature = inspect.signature(function)
    context = inspect.Parameter("ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    parameters = [context, *list(signature.parameters.values())[1:], *_COMMON]
    wrapper.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    wrapper.__annotations__ = {one.name: one.annotation for one in parameters}
    return wrapper


def one_of(choices: Iterable[S], word: str, option: str) -> S:
    """Return the choice with this value; case does not matter.

    Raises:
        InputError: there is none; the message lists them.
    """
    known = {str(choice): choice for choice in choices}
    if word.casefold() not in known:
        raise InputError(f"{option} is {word!r}: use one of {', '.join(known)}")
    return known[word.casefold()]


def iso_time(text: str | None, option: str) -> str | None:
    """Return an ISO 8601 date or time as GraphQL reads it; None for None.

    Raises:
        InputError: it is not ISO 8601.
    """
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).isoformat()
    except ValueError as error:
        raise InputError(
            f"{option} is {text!r}: write a date or time such as 2026-01-31 or 2026-01-31T18:00Z"
        ) from error
