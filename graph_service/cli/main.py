"""The `mnemograph` command: options for all commands, and the door where errors become one clear line."""

import sys
import traceback
from pathlib import Path
from typing import Annotated

import typer

from graph_service.cli import (
    asking,
    backups,
    checking,
    db,
    exporting,
    forgetting,
    identities,
    importing,
    jobs,
    serving,
    spooling,
    syncing,
    telling,
)
from graph_service.cli.auditing import audit
from graph_service.cli.context import context
from graph_service.cli.cypher import cypher
from graph_service.cli.evaluate import evaluate
from graph_service.cli.facts import facts
from graph_service.cli.keys import keys
from graph_service.cli.layers import layers
from graph_service.cli.mcp import mcp
from graph_service.cli.options import Common, ConfigOption, JsonOption, TenantOption
from graph_service.cli.profile import profile
from graph_service.cli.running import StoppedError
from graph_service.cli.sessions import sessions
from graph_service.version import version as installed_version
from schema.errors import MnemographError

app = typer.Typer(
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


app.command("serve")(serving.serve)
app.command("demo")(serving.demo)
app.command("remember")(telling.remember)
app.command("recall")(asking.recall)
app.command("context")(context)
app.command("profile")(profile)
app.command("sync")(syncing.sync)
app.command("import")(importing.import_files)
app.command("export")(exporting.export)
app.command("eval")(evaluate)
app.command("cypher")(cypher)
app.command("audit")(audit)
app.command("mcp")(mcp)
app.command("doctor")(checking.doctor)
app.command("backup")(backups.backup)
app.command("restore")(backups.restore)
app.add_typer(db.db, name="db")
app.add_typer(keys, name="keys")
app.add_typer(forgetting.forget, name="forget")
app.add_typer(spooling.spool, name="spool")
app.add_typer(jobs.jobs, name="jobs")
app.add_typer(sessions, name="sessions")
app.add_typer(layers, name="layers")
app.add_typer(identities.entities, name="entities")
app.add_typer(facts, name="facts")


def main() -> None:
    """Runs the command line and exits with 0, or with the code of the error that ended it."""
    try:
        app()
    except MnemographError as error:
        sys.stderr.write(f"mnemograph: {error.message}\n")
        sys.exit(error.exit_code)
    except StoppedError as stopped:
        sys.exit(stopped.exit_code)
    except BrokenPipeError:
        # The reader of our output went away, as `head` does.
        sys.stderr.close()
        sys.exit(0)
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(frame.filename).name}:{frame.lineno}"
        sys.stderr.write(f"mnemograph: {type(error).__name__} in {place}; this is a bug, please report it\n")
        sys.exit(MnemographError.exit_code)
