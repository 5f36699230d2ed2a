"""The table of commands; each one's module is loaded when the command is asked for, since most take what they need."""

import importlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import typer
from typer.core import TyperGroup
from typer.main import get_command

# Name -> where its function or its group of commands is, in the order of the help text.
COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "init": "init:init",
        "trust": "trust:trust",
        "serve": "serve:serve",
        "demo": "serve:demo",
        "remember": "remember:remember",
        "recall": "recall:recall",
        "context": "context:context",
        "profile": "profile:profile",
        "sync": "sync:sync",
        "import": "import_files:import_files",
        "export": "export:export",
        "eval": "evaluate:evaluate",
        "cypher": "cypher:cypher",
        "audit": "audit:audit",
        "mcp": "mcp:mcp",
        "doctor": "doctor:doctor",
        "backup": "backup:backup",
        "restore": "backup:restore",
        "db": "db:db",
        "keys": "keys:keys",
        "forget": "forget:forget",
        "spool": "spool:spool",
        "jobs": "jobs:jobs",
        "sessions": "sessions:sessions",
        "layers": "layers:layers",
        "entities": "entities:entities",
        "facts": "facts:facts",
        "stats": "stats:stats",
        # Names that users of other memories look for.
        "add": "remember:remember",
        "search": "recall:recall",
        "delete": "forget:forget",
    }
)


class Commands(TyperGroup):
    """A group whose commands are those of `COMMANDS`."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return every name, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return the command of a name, loaded now; None when there is none."""
        place = COMMANDS.get(cmd_name)
        return None if place is None else _loaded(cmd_name, *place.split(":"))


def _loaded(name: str, module: str, attribute: str) -> Any:
    found = getattr(importlib.import_module(f"graph_service.cli.commands.{module}"), attribute)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name)(found)
        found = alone
    command = get_command(found)
    command.name = name
    return command
