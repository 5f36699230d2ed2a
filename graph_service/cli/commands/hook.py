"""`mnemoscene hook`: give the sessions of coding agents a memory, through the hooks of Claude Code and Cursor.

An event comes as JSON on standard input. Everything read from it and from a transcript is bounded.
"""

import getpass
import hashlib
import json
import locale
import os
import re
import shlex
import signal
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from extraction.text.secrets import SecretKind, without_secrets
from extraction.verified_files import write_private
from graph_service.cli.options import Invocation, command
from graph_service.cli.service_client import DOCUMENTS, ServiceClient, client_over_http, request_headers
from graph_service.cli.signals import run_client
from graph_service.runtime.service_registry import running_service
from schema.errors import InputError, MnemosceneError, UnavailableError

START_TOKENS: Final = 1_000
PROMPT_TOKENS: Final = 400
EVENT_BYTES_MAX: Final = 4 * 2**20
# Only the end of a transcript is read: what comes before was stored by the events before.
TRANSCRIPT_BYTES_MAX: Final = 2 * 2**20
MESSAGES_MAX: Final = 60
MESSAGE_CHARS_MAX: Final = 8_000
_QUERY_CHARS_MAX: Final = 2_000
_NAME_CHARS_MAX: Final = 100
_HIDDEN: Final = frozenset({SecretKind.KEYS, SecretKind.CARDS})
# Claude Code writes commands, their output and reminders as messages of the user.
_NOT_SAID: Final = ("<", "Caveat: ", "[Request interrupted")


class Agent(StrEnum):
    """Coding agents with hooks."""

    CLAUDE_CODE = "claude-code"
    CURSOR = "cursor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message to store; `id` makes storing it again harmless."""

    id: str
    role: str
    text: str
    time: str | None = None


async def handle(agent: Agent, event: Mapping[str, Any], service: ServiceClient, *, user: str) -> dict[str, Any] | None:
    """Do what an event asks for, and return what the agent reads, or None.

    Raises:
        MnemosceneError: the service does not answer, or refuses.
    """
    name = str(event.get("hook_event_name", ""))
    match agent, name:
        case Agent.CLAUDE_CODE, "SessionStart" | "UserPromptSubmit":
            text = await _memory(service, event, user, starts=name == "SessionStart")
            return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}} if text else None
        case Agent.CLAUDE_CODE, "Stop" | "PreCompact" | "SessionEnd":
            await _store(service, agent, event, user, list(transcript(event))[-MESSAGES_MAX:])
        case Agent.CURSOR, "sessionStart":
            text = await _memory(service, event, user, starts=True)
            return {"additional_context": text} if text else None
        case Agent.CURSOR, "beforeSubmitPrompt":
            await _store(service, agent, event, user, _said(event, "USER", event.get("prompt")))
        case Agent.CURSOR, "afterAgentResponse":
            await _store(service, agent, event, user, _said(event, "ASSISTANT", event.get("text")))
    return None


def project_of(event: Mapping[str, Any]) -> str:
    """Return the name of the project's directory, which tags what is said there."""
    roots = event.get("workspace_roots")
    root = roots[0] if isinstance(roots, list) and roots else None
    place = Path(str(root or event.get("cwd") or Path.cwd()))
    # The agent may have changed into a directory of the project.
    place = next((one for one in (place, *place.parents) if (one / ".git").exists()), place)
    name = "".join(char for char in place.name if char.isprintable())[:_NAME_CHARS_MAX]
    return name if any(char.isalnum() for char in name) else "project"


def transcript(event: Mapping[str, Any]) -> Iterator[Said]:
    """Yield what user and agent said at the end of a Claude Code transcript, without tools, thoughts and subagents."""
    try:
        with open(str(event.get("transcript_path") or ""), "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TRANSCRIPT_BYTES_MAX))
            lines = file.read(TRANSCRIPT_BYTES_MAX).split(b"\n")
    except (OSError, ValueError):
        return
    for line in lines if size <= TRANSCRIPT_BYTES_MAX else lines[1:]:
        try:
            entry = json.loads(line)
            role, text = str(entry["message"]["role"]), _text(entry["message"]["content"])
            uuid, time = str(entry["uuid"])[:_NAME_CHARS_MAX], entry.get("timestamp")
        except (ValueError, KeyError, TypeError, AttributeError):
            # A line that is still being written, or an entry of another kind.
            continue
        hidden = any(entry.get(mark) for mark in ("isMeta", "isSidechain", "isCompactSummary"))
        if role in ("user", "assistant") and text and not hidden and not text.startswith(_NOT_SAID):
            yield Said(id=uuid, role=role.upper(), text=text, time=time if isinstance(time, str) else None)


def _text(content: Any) -> str:
    """Return the text of a message's content: a string, or blocks of which only text counts."""
    if isinstance(content, str):
        return content.strip()
    texts = [block["text"] for block in content if block.get("type") == "text" and isinstance(block["text"], str)]
    return "\n".join(texts).strip()


def _said(event: Mapping[str, Any], role: str, text: Any) -> list[Said]:
    """Return the message of a Cursor event; its id is the turn's, and a hash, because a turn has several answers."""
    if not isinstance(text, str) or not text.strip():
        return []
    digest = hashlib.sha256(f"{role}\n{text}".encode("utf-8", "replace")).hexdigest()[:16]
    return [Said(id=f"{str(event.get('generation_id', ''))[:_NAME_CHARS_MAX]}-{digest}", role=role, text=text.strip())]


async def _memory(service: ServiceClient, event: Mapping[str, Any], user: str, *, starts: bool) -> str:
    """Return the context for a prompt, or for a session's start; empty if nothing is known."""
    project = project_of(event)
    if starts:
        before = [said.text for said in transcript(event) if said.role == "USER"]
        query = before[-1] if before else _question(project)
    else:
        query = str(event.get("prompt") or "")
    if not query.strip():
        return ""
    answer = await service.ask(
        DOCUMENTS["hookContext"],
        user=user,
        query=query[:_QUERY_CHARS_MAX],
        tags=[project],
        tokens=START_TOKENS if starts else PROMPT_TOKENS,
    )
    found = answer["context"]
    # The profile was told at the start: a prompt without anything to recall adds nothing to it.
    known = found["core"] or found["recalled"] if starts else not found["nothing_relevant"]
    return str(found["text"]) if known else ""


def _question(project: str) -> str:
    if (locale.getlocale()[0] or "").startswith("zh"):
        return f"{project} 项目做了哪些决定、约定和计划？"
    return f"What was decided, agreed and planned in the project {project}?"


async def _store(service: ServiceClient, agent: Agent, event: Mapping[str, Any], user: str, said: list[Said]) -> None:
    session = str(event.get("session_id") or event.get("conversation_id") or "")[:_NAME_CHARS_MAX]
    if not said or not session:
        return
    messages = [
        {
            "id": one.id,
            "role": one.role,
            "text": without_secrets(one.text, _HIDDEN)[:MESSAGE_CHARS_MAX],
            "time": one.time,
            "tags": [project_of(event)],
        }
        for one in said
    ]
    told = {"userId": user, "sessionId": session, "agentId": agent.value, "messages": messages}
    await service.ask(DOCUMENTS["remember"], input=told)


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
    """Raise UnavailableError in the main thread after a while, whatever it waits for; 0 for never."""

    def too_late(_number: int, _frame: object) -> None:
        raise UnavailableError("it took too long")

    signal.signal(signal.SIGALRM, too_late)
    signal.setitimer(signal.ITIMER_REAL, limit_s)
