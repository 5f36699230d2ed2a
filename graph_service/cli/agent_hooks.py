"""Handle an event of a coding agent's hook: answer with memory, or store what was said. Knows Claude Code and Cursor.

An event comes as JSON on standard input. Everything read from it and from a transcript is bounded.
"""

import hashlib
import json
import locale
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from extraction.text.secrets import SecretKind, without_secrets
from graph_service.cli.service_client import ServiceClient

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

_CONTEXT: Final = """query ($user: String!, $query: String!, $tags: [String!], $tokens: Int!) {
  context(userId: $user, query: $query, tags: $tags, maxTokens: $tokens) {
    text nothingRelevant core { id } recalled { id } } }"""
_REMEMBER: Final = "mutation ($input: RememberInput!) { remember(input: $input) { stored } }"


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
        _CONTEXT,
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
    await service.ask(_REMEMBER, input=told)
