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
        "init": "preparing:init",
        "trust": "trusting:trust",
        "serve": "serving:serve",
        "demo": "serving:demo",
        "remember": "telling:remember",
        "recall": "asking:recall",
        "context": "context:context",
        "profile": "profile:profile",
        "sync": "syncing:sync",
        "import": "importing:import_files",
        "export": "exporting:export",
        "eval": "evaluate:evaluate",
        "cypher": "cypher:cypher",
        "audit": "auditing:audit",
        "mcp": "mcp:mcp",
        "doctor": "checking:doctor",
        "backup": "backups:backup",
        "restore": "backups:restore",
        "db": "db:db",
        "keys": "keys:keys",
        "forget": "forgetting:forget",
        "spool": "spooling:spool",
        "jobs": "jobs:jobs",
        "sessions": "sessions:sessions",
        "layers": "layers:layers",
        "entities": "identities:entities",
        "facts": "facts:facts",
        "stats": "counting:stats",
        # Names that users of other memories look for.
        "add": "telling:remember",
        "search": "asking:recall",
        "delete": "forgetting:forget",
    }
)


class Commands(TyperGroup):
    """A group whose commands are those of `COMMANDS`."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Every name, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The command of a name, loaded now; None when there is none."""
        place = COMMANDS.get(cmd_name)
        return None if place is None else _loaded(cmd_name, *place.split(":"))


def _loaded(name: str, module: str, attribute: str) -> Any:
    found = getattr(importlib.import_module(f"graph_service.cli.{module}"), attribute)
    if not isinstance(found, typer.Typer):
        alone = typer.Typer(add_completion=False)
        alone.command(name)(found)
        found = alone
    command = get_command(found)
    command.name = name
    return command
