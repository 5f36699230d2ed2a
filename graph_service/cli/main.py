"""The `mnemograph` command: options for all commands, and the door where errors become one clear line."""

import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer

from graph_service.cli.command_table import Commands
from graph_service.cli.options import Common, ConfigOption, JsonOption, TenantOption
from graph_service.cli.signals import StoppedError, leave
from graph_service.config.settings import keep_children_safe
from graph_service.observability.terminal_text import shown
from graph_service.version import version as installed_version
from schema.errors import MnemographError

app = typer.Typer(
    cls=Commands,
    name="mnemograph",
    help="Long-term memory for AI agents, held as a graph that people can see and question.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"mnemograph {installed_version()}\n")
        raise typer.Exit


@app.callback()
def root(
    ctx: typer.Context,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options for every command; they may stand after its name as well."""
    ctx.obj = Common(config=config, tenant=tenant, as_json=as_json)


def main() -> None:
    """Run the command line and exit with 0, or with the code of the error that ended it."""
    keep_children_safe()
    leave(_exit_code())


def _exit_code() -> int:
    try:
        app()
    except SystemExit as ended:
        # How typer ends every command, `--help` and wrong options included.
        return ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except MnemographError as error:
        sys.stderr.write(shown(f"mnemograph: {error.message}\n"))
        return error.exit_code
    except StoppedError as stopped:
        return stopped.exit_code
    except BrokenPipeError:
        # The reader of our output went away, as `head` does.
        sys.stderr.close()
        return 0
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(frame.filename).name}:{frame.lineno}"
        sys.stderr.write(f"mnemograph: {type(error).__name__} in {place}; this is a bug, please report it\n")
        return MnemographError.exit_code
    return 0
