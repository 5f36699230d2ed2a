"""`mnemoscene hook`: give a coding agent's sessions a memory, through the hooks of Claude Code and Cursor."""

import getpass
import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from extraction.verified_files import write_private
from graph_service.cli.agent_hooks import EVENT_BYTES_MAX, Agent, handle
from graph_service.cli.options import Invocation, command
from graph_service.cli.service_client import client_over_http, request_headers
from graph_service.cli.signals import run_client
from graph_service.runtime.service_registry import running_service
from schema.errors import InputError, MnemosceneError, UnavailableError

# Claude Code gives all hooks of a session's end 1.5 s together.
_LIMIT_S: Final = 4.0
_END_LIMIT_S: Final = 1.2
_FILES: Final = {Agent.CLAUDE_CODE: ".claude/settings.json", Agent.CURSOR: ".cursor/hooks.json"}
# Event -> does the agent wait for it?
_EVENTS: Final = {
    Agent.CLAUDE_CODE: {
        "SessionStart": True,
        "UserPromptSubmit": True,
        "Stop": False,
        "PreCompact": False,
        "SessionEnd": True,
    },
    Agent.CURSOR: {"sessionStart": True, "beforeSubmitPrompt": True, "afterAgentResponse": True},
}

hook = typer.Typer(help="Remember and recall in the sessions of a coding agent.", no_args_is_help=True)
UserOption = Annotated[
    str | None, typer.Option(help="Whose memory; mcp.user or the account's name by default.", show_default=False)
]
LimitOption = Annotated[float, typer.Option(min=0.1, max=60, help="Give up after so many seconds.")]


@hook.command("claude-code")
@command
def claude_code(call: Invocation, user: UserOption = None, limit: LimitOption = _LIMIT_S) -> None:
    """Handle one event of Claude Code, from standard input; never fails."""
    _run(call, Agent.CLAUDE_CODE, user, limit)


@hook.command("cursor")
@command
def cursor(call: Invocation, user: UserOption = None, limit: LimitOption = _LIMIT_S) -> None:
    """Handle one event of Cursor, from standard input; never fails."""
    _run(call, Agent.CURSOR, user, limit)


@hook.command("install")
@command
def install(
    call: Invocation,
    agent: Annotated[Agent, typer.Argument(help="The coding agent.", show_default=False)],
    project: Annotated[
        Path | None, typer.Option(metavar="DIR", help="For this directory only; for all by default.")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the hooks instead.")] = False,
    user: UserOption = None,
    limit: LimitOption = _LIMIT_S,
) -> None:
    """Add the hooks to the agent's settings; everything else there stays as it is."""
    file = (project or Path.home()) / _FILES[agent]
    program = sys.argv[0] if Path(sys.argv[0]).name == "mnemoscene" else None
    words = [os.path.abspath(program)] if program else [sys.executable, "-m", "graph_service"]
    given = {"--user": user, "--url": call.url, "--limit": f"{limit:g}" if limit != _LIMIT_S else None}
    options = [word for name, value in given.items() if value for word in (name, value)]
    line = None if remove else shlex.join([*words, "hook", agent.value, *options])
    changed = merge_hooks(file, agent, line)
    document = {"file": str(file), "agent": agent.value, "installed": not remove, "changed": changed}
    call.terminal.report(document, lambda: f"{'changed' if changed else 'nothing to change in'} {file}")


def merge_hooks(file: Path, agent: Agent, line: str | None) -> bool:
    """Set the hooks of this command in an agent's settings file, or remove them if `line` is None.

    Returns whether the file was changed.

    Raises:
        InputError: the file does not hold what the agent expects, and was not changed.
    """
    target = file.resolve()
    try:
        before = target.read_text("utf-8") if target.exists() else ""
        settings = json.loads(before) if before.strip() else {}
        hooks = settings.setdefault("hooks", {})
        for event in {*hooks, *_EVENTS[agent]}:
            kept = [entry for entry in hooks.get(event, []) if not _is_ours(entry, agent)]
            if line is not None and event in _EVENTS[agent]:
                kept.append(_entry(agent, line, waits=_EVENTS[agent][event]))
            hooks[event] = kept
            if not kept:
                del hooks[event]
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise InputError(f"{file} is not a settings file of {agent} ({error}); correct it, or move it away") from error
    if not hooks:
        del settings["hooks"]
    elif agent is Agent.CURSOR:
        settings.setdefault("version", 1)
    if settings == (json.loads(before) if before.strip() else {}):
        return False
    mode = target.stat().st_mode & 0o777 if before else 0o644
    target.parent.mkdir(parents=True, exist_ok=True)
    write_private(target, json.dumps(settings, indent=2, ensure_ascii=False) + "\n")
    target.chmod(mode)
    return True


def _entry(agent: Agent, line: str, *, waits: bool) -> dict[str, Any]:
    if agent is Agent.CURSOR:
        return {"command": line}
    return {"hooks": [{"type": "command", "command": line, "timeout": 10, **({} if waits else {"async": True})}]}


def _is_ours(entry: Any, agent: Agent) -> bool:
    """Return True for an entry that runs this command only."""
    ours = re.compile(rf"(?:mnemoscene|graph_service)\S*\s+hook {agent.value}\b")
    inner = entry.get("hooks", [entry])
    return bool(inner) and all(ours.search(str(one.get("command", ""))) for one in inner)


def _run(call: Invocation, agent: Agent, user: str | None, limit_s: float) -> None:
    """Handle one event; whatever goes wrong is a note on standard error, so that the agent goes on."""
    try:
        _in_time(limit_s)
        event = json.loads(sys.stdin.buffer.read(EVENT_BYTES_MAX))
        if event.get("hook_event_name") == "SessionEnd":
            limit_s = min(limit_s, _END_LIMIT_S)
            _in_time(limit_s)
        settings = call.client_settings
        address = settings.url or running_service(settings)
        if address is None:
            raise UnavailableError("no service is running; start one with `mnemoscene serve`, or set url")
        service = client_over_http(address, request_headers(settings, call.tenant), answer_max_s=limit_s)
        user = user or settings.mcp.user or getpass.getuser()
        answer = run_client(handle(agent, event, service, user=user))
        if answer is not None:
            sys.stdout.write(json.dumps(answer, ensure_ascii=False) + "\n")
    except Exception as error:
        message = str(error) if isinstance(error, MnemosceneError) else type(error).__name__
        sys.stderr.write(f"mnemoscene: nothing was remembered or recalled: {message}\n")
    finally:
        _in_time(0)


def _in_time(limit_s: float) -> None:
    """Raise UnavailableError in the main thread after a while, whatever it waits for; 0 for never. No-op on Windows."""
    alarm: Callable[..., Any] | None = getattr(signal, "setitimer", None)
    if alarm is not None:
        signal.signal(signal.SIGALRM, _too_late)
        alarm(signal.ITIMER_REAL, limit_s)


def _too_late(_number: int, _frame: object) -> None:
    raise UnavailableError("it took too long")
