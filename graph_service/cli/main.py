"""The `mnemoscene` command: the table of commands, and errors printed as one line."""

import contextlib
import errno
import functools
import importlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final

import typer
from typer.core import TyperArgument, TyperGroup, TyperOption
from typer.main import get_command

from graph_service.cli.options import Invocation, command
from graph_service.cli.signals import StoppedError, leave
from graph_service.config.settings import keep_children_safe
from graph_service.observability.terminal_text import shown
from graph_service.version import version as installed_version
from schema.errors import InstallError, MnemosceneError

# Command -> "module:attribute" in `commands/`, in the order of the help text. A module is imported when its command is
# called: most of them import slow libraries.
COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "init": "folders:init",
        "trust": "folders:trust",
        "serve": "serve:serve",
        "demo": "serve:demo",
        "remember": "memory:remember",
        "recall": "memory:recall",
        "context": "memory:context",
        "profile": "memory:profile",
        "sync": "upkeep:sync",
        "import": "transfer:import_files",
        "export": "transfer:export",
        "eval": "evaluate:evaluate",
        "cypher": "cypher:cypher",
        "audit": "access:audit",
        "mcp": "serve:mcp",
        "hook": "hook:hook",
        "doctor": "local:doctor",
        "backup": "local:backup",
        "restore": "local:restore",
        "compact": "local:compact",
        "db": "local:db",
        "keys": "access:keys",
        "quarantine": "access:quarantine",
        "forget": "curation:forget",
        "spool": "local:spool",
        "jobs": "upkeep:jobs",
        "sessions": "upkeep:sessions",
        "layers": "upkeep:layers",
        "entities": "curation:entities",
        "facts": "curation:facts",
        "stats": "upkeep:stats",
        # Aliases: the names of these commands in other memory programs.
        "add": "memory:remember",
        "search": "memory:recall",
        "delete": "curation:forget",
    }
)


class CommandGroup(TyperGroup):
    """A group that finds its commands in `COMMANDS`."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by name, imported now; None if there is none."""
        location = COMMANDS.get(cmd_name)
        return None if location is None else _load(cmd_name, *location.split(":"))


def _load(name: str, module: str, attribute: str) -> Any:
    found = getattr(importlib.import_module(f"graph_service.cli.commands.{module}"), attribute)
    if not isinstance(found, typer.Typer):
        single = typer.Typer(add_completion=False)
        single.command(name)(found)
        found = single
    loaded = get_command(found)
    loaded.name = name
    return loaded


def _converted(parameter: Any, context: Any, value: Any, by_typer: Callable[..., Any]) -> Any:
    """Return a parameter's value; leave to typer what needs a check, because it imports pydantic for any other, too.

    That would take a quarter of the time of a command that asks a service.
    """
    kind = parameter.type_descriptor.annotation
    if value is None and not parameter.required and (parameter.callback is None or not parameter.expose_value):
        return None
    if kind == list[str] and value:
        return list(value)
    if kind in (int, float) and isinstance(value, str) and not parameter.type_descriptor.is_ranged:
        with contextlib.suppress(ValueError):
            return kind(value)
    if isinstance(kind, type) and isinstance(value, kind) and parameter.callback is None:
        return value
    return by_typer(parameter, context, value)


for _kind in (TyperOption, TyperArgument):
    _kind.process_value = functools.partialmethod(_converted, by_typer=_kind.process_value)  # type: ignore[assignment]


app = typer.Typer(
    cls=CommandGroup,
    name="mnemoscene",
    help="Long-term memory for AI agents, stored as a graph that people can see and query.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _print_version(requested: bool) -> None:
    if requested:
        sys.stdout.write(f"mnemoscene {installed_version()}\n")
        raise typer.Exit


@app.callback()
@command
def root(
    _call: Invocation,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Parse the options shared by all commands; they may also follow the name of a command."""


def main() -> None:
    """Run the command line and exit with 0, or with the code of the error that ended it."""
    keep_children_safe()
    leave(exit_code())


def exit_code() -> int:
    """Run the command line, print an error as one line, and return the exit code."""
    try:
        app()
    except SystemExit as ended:
        # typer ends every command this way, `--help` and wrong options included.
        return ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except MnemosceneError as error:
        sys.stderr.write(shown(f"mnemoscene: {error.message}\n"))
        return error.exit_code
    except StoppedError as stopped:
        return stopped.exit_code
    except BrokenPipeError:
        # The reader of our output has closed the pipe, as `head` does.
        sys.stderr.close()
        return 0
    except Exception as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
            sys.stderr.write(f"mnemoscene: {error.strerror}: free some space, also for temporary files (TMPDIR)\n")
            return InstallError.exit_code
        import traceback

        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(frame.filename).name}:{frame.lineno}"
        sys.stderr.write(f"mnemoscene: {type(error).__name__} in {place}; this is a bug, please report it\n")
        return MnemosceneError.exit_code
    return 0
