"""Tools of Graphiti's MCP server; a group is a user."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import Field

from graph_service.mcp.caller import Caller
from graph_service.mcp.tool import CompatResult, Effect, ToolContext, about, compat_tool, known
from graph_service.mcp.tools.maintenance import status_answer
from graph_service.mcp.tools.remember import Forgettable, delete_element, session_of_today
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.mindmap.graph_queries import NodeMatch
from graph_service.memory.recall.candidates import Candidate
from graph_service.memory.recall.query import HitKind, Question
from schema.errors import InputError
from schema.labels import Role

T = TypeVar("T")
Groups = Annotated[str | list[str] | None, about("Ids of one or several users. Default: the connection's user.")]


_GROUPS_MAX: Final = 10
_EPISODES_MAX: Final = 100
_SPOKEN = re.compile(r"([^:\n：]{1,60})[:：]\s*(.+)")


@compat_tool(Effect.ADDS)
async def add_memory(
    context: ToolContext,
    caller: Caller,
    name: Annotated[str, about("Name of the episode; not stored.")],
    episode_body: Annotated[str, about("What to remember.")],
    group_id: Annotated[str | None, about("The user's id. Default: the connection's user.")] = None,
    source: Annotated[Literal["text", "json", "message"], about("`message`: lines of the form `name: text`.")] = "text",
    uuid: Annotated[str | None, about("Your id of the episode; sending it again has no effect.")] = None,
    reference_time: Annotated[datetime | None, about("When it was said, ISO 8601. Default: now.")] = None,
) -> CompatResult:
    """Store an episode: text, JSON, or lines of a conversation."""
    group = caller.user_of(group_id)
    incoming = RememberRequest(
        user_id=group,
        session_id=session_of_today(context),
        messages=tuple(
            IncomingMessage(role=role, speaker=speaker, text=text, time=reference_time, id=number)
            for role, speaker, text, number in _spoken(episode_body, source, uuid)
        ),
    )
    receipt = await context.memory.remember(caller.tenant, incoming)
    return CompatResult(message=f"Episode {name!r} stored in group {group!r}: {receipt.message_ids[0]}")


def _spoken(body: str, source: str, uuid: str | None) -> list[tuple[str, str | None, str, str | None]]:
    """Return role, speaker, text and id of each message in an episode."""
    if source != "message":
        role = Role.TOOL if source == "json" else Role.USER
        return [(role, None, body, uuid)]
    found: list[tuple[str, str | None, str, str | None]] = []
    for number, line in enumerate(filter(str.strip, body.splitlines())):
        match = _SPOKEN.fullmatch(line.strip())
        name, text = (match[1].strip(), match[2]) if match else (None, line)
        named = next((role for role in Role if name and name.casefold() == role), None)
        speaker = name if named is None else None
        found.append((named or Role.USER, speaker, text, f"{uuid}-{number}" if uuid else None))
    return found


@compat_tool(Effect.READS)
async def search_nodes(
    context: ToolContext,
    caller: Caller,
    query: str,
    group_ids: Groups = None,
    max_nodes: int = 10,
    entity_types: tuple[str, ...] = (),
) -> CompatResult:
    """Search people, places and things by name or words."""

    async def of(group: str) -> list[dict[str, Any]]:
        types = [one.casefold() for one in entity_types]
        found = await context.memory.nodes.search(caller.tenant, group, query, types=types, limit=max_nodes)
        return [_node(one, group) for one in found]

    nodes = await _of_each(caller, group_ids, of)
    return CompatResult(message=_counted(nodes, "nodes"), nodes=nodes[:max_nodes])


@compat_tool(Effect.READS)
async def search_memory_facts(
    context: ToolContext, caller: Caller, query: str, group_ids: Groups = None, max_facts: int = 10
) -> CompatResult:
    """Search current facts that answer a question."""

    async def of(group: str) -> list[tuple[float, dict[str, Any]]]:
        question = Question(user_id=group, text=query, limit=max_facts, kinds=(HitKind.FACT,))
        answer = await context.memory.recall(caller.tenant, question, asker=caller.asker)
        return [(hit.score, _fact(hit.candidate, group)) for hit in answer.hits]

    scored = await _of_each(caller, group_ids, of)
    facts = [fact for _, fact in sorted(scored, key=lambda one: -one[0])][:max_facts]
    return CompatResult(message=_counted(facts, "facts"), facts=facts)


@compat_tool(Effect.READS)
async def get_episodes(
    context: ToolContext,
    caller: Caller,
    group_ids: Groups = None,
    max_episodes: Annotated[int, Field(ge=1, le=_EPISODES_MAX)] = 10,
) -> CompatResult:
    """Return the latest messages, latest first."""

    async def of(group: str) -> list[dict[str, Any]]:
        return [
            known(
                uuid=said.id,
                name=said.speaker or said.role,
                content=said.text,
                created_at=said.said_at,
                source="message",
                group_id=group,
            )
            for said in await context.memory.messages.latest(caller.tenant, group, limit=max_episodes)
        ]

    episodes = await _of_each(caller, group_ids, of)
    latest = sorted(episodes, key=lambda episode: episode["created_at"], reverse=True)[:max_episodes]
    return CompatResult(message=_counted(latest, "episodes"), episodes=latest)


@compat_tool(Effect.READS)
async def get_status(context: ToolContext, caller: Caller) -> CompatResult:
    """Report whether the memory works."""
    state = await status_answer(context, caller)
    message = f"the database is {state.database}; {state.waiting + state.leased} jobs are pending"
    return CompatResult(status="ok" if state.database == "up" else "error", message=message)


@compat_tool(Effect.DELETES)
async def delete_episode(context: ToolContext, caller: Caller, uuid: str) -> CompatResult:
    """Delete a message by uuid, with everything derived from it."""
    await delete_element(context, caller, Forgettable.MESSAGE, uuid, None)
    return CompatResult(message=f"{uuid} was deleted")


@compat_tool(Effect.DELETES)
async def delete_entity_edge(context: ToolContext, caller: Caller, uuid: str) -> CompatResult:
    """Delete a fact by uuid; it is not extracted again."""
    await delete_element(context, caller, Forgettable.FACT, uuid, None)
    return CompatResult(message=f"{uuid} was deleted")


async def _of_each(caller: Caller, given: str | list[str] | None, ask: Callable[[str], Awaitable[list[T]]]) -> list[T]:
    """Return what is asked of each group, of the caller's user by default."""
    groups = [given] if isinstance(given, str) else given or [caller.user_of(None)]
    if len(groups) > _GROUPS_MAX:
        raise InputError(f"{len(groups)} groups in one call; use at most {_GROUPS_MAX}")
    return [one for found in await asyncio.gather(*map(ask, dict.fromkeys(groups))) for one in found]


def _node(found: NodeMatch, group: str) -> dict[str, Any]:
    return known(
        uuid=found.id,
        name=found.name,
        labels=[found.kind, *([found.entity_type] if found.entity_type else [])],
        created_at=found.last_seen,
        summary=" ".join(fact.statement for fact in found.facts if fact.statement),
        group_id=group,
    )


def _fact(hit: Candidate, group: str) -> dict[str, Any]:
    return known(
        uuid=hit.id,
        name=hit.relation or hit.predicate or "",
        fact=hit.text,
        valid_at=hit.valid_at,
        invalid_at=hit.invalid_at,
        group_id=group,
    )


def _counted(found: Sequence[object], what: str) -> str:
    return f"{len(found)} {what} found" if found else f"No relevant {what} found"


GRAPHITI: Final = (
    *(add_memory, search_nodes, search_memory_facts, get_episodes, delete_episode, delete_entity_edge, get_status),
)
