"""Tools of Graphiti's MCP server; a group is a user."""

import asyncio
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, Literal

from pydantic import Field

from graph_service.mcp.caller import Caller
from graph_service.mcp.compat.compat_schemas import CompatArguments, MessageAnswer, compat_tool
from graph_service.mcp.tool import Effect, ToolContext
from graph_service.mcp.tool_schemas import Result
from graph_service.mcp.tools.forget import Forgettable, delete_element
from graph_service.mcp.tools.maintenance import StatusArguments, status_answer
from graph_service.mcp.tools.remember import session_of_today
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from graph_service.memory.mindmap.node_search import NodeMatch
from graph_service.memory.recall.candidates import Candidate
from graph_service.memory.recall.query import HitKind, Question
from schema.errors import InputError
from schema.labels import Role

_GROUPS = Field(None, description="Ids of one or several users. Default: the connection's user.")


class AddMemoryArguments(CompatArguments):
    """Arguments of `add_memory`."""

    name: str = Field(description="Name of the episode; not stored.")
    episode_body: str = Field(description="What to remember.")
    group_id: str | None = Field(None, description="The user's id. Default: the connection's user.")
    source: Literal["text", "json", "message"] = Field("text", description="`message`: lines of the form `name: text`.")
    uuid: str | None = Field(None, description="Your id of the episode; sending it again has no effect.")
    reference_time: datetime | None = Field(None, description="When it was said, ISO 8601. Default: now.")


class SearchArguments(CompatArguments):
    """Arguments of both searches."""

    query: str
    group_ids: str | list[str] | None = _GROUPS


class SearchNodesArguments(SearchArguments):
    """Arguments of `search_nodes`."""

    max_nodes: int = 10
    entity_types: list[str] = Field([])


class SearchFactsArguments(SearchArguments):
    """Arguments of `search_memory_facts`."""

    max_facts: int = 10


class EpisodesArguments(CompatArguments):
    """Arguments of `get_episodes`."""

    group_ids: str | list[str] | None = _GROUPS
    max_episodes: int = Field(10, ge=1, le=100)


class UuidArguments(CompatArguments):
    """Arguments of `delete_entity_edge` and `delete_episode`."""

    uuid: str


class NodeResult(Result):
    """A node in the format of Graphiti."""

    uuid: str
    name: str
    labels: list[str]
    created_at: datetime
    summary: str = ""
    group_id: str


class NodesResult(MessageAnswer):
    """Result of `search_nodes`."""

    nodes: list[NodeResult] = Field([])


class FactResult(Result):
    """A fact in the format of Graphiti."""

    uuid: str
    name: str
    fact: str
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    group_id: str


class FactsResult(MessageAnswer):
    """Result of `search_memory_facts`."""

    facts: list[FactResult] = Field([])


class EpisodeResult(Result):
    """A message in the format of Graphiti's episodes."""

    uuid: str
    name: str
    content: str
    created_at: datetime
    source: str = "message"
    group_id: str


class EpisodesResult(MessageAnswer):
    """Result of `get_episodes`: messages, the latest first."""

    episodes: list[EpisodeResult] = Field([])


class StatusResult(MessageAnswer):
    """Result of `get_status`."""

    status: Literal["ok", "error"]


_GROUPS_MAX: Final = 10
_SPOKEN = re.compile(r"([^:\n：]{1,60})[:：]\s*(.+)")


async def _add_memory(context: ToolContext, caller: Caller, given: AddMemoryArguments) -> MessageAnswer:
    group = caller.user_of(given.group_id)
    incoming = RememberRequest(
        user_id=group,
        session_id=session_of_today(context),
        messages=tuple(
            IncomingMessage(role=role, speaker=speaker, text=text, time=given.reference_time, id=name)
            for role, speaker, text, name in _spoken(given)
        ),
    )
    receipt = await context.memory.remember(caller.tenant, incoming)
    return MessageAnswer(message=f"Episode {given.name!r} stored in group {group!r}: {receipt.message_ids[0]}")


def _spoken(given: AddMemoryArguments) -> list[tuple[str, str | None, str, str | None]]:
    """Return role, speaker, text and id of each message in an episode."""
    if given.source != "message":
        role = Role.TOOL if given.source == "json" else Role.USER
        return [(role, None, given.episode_body, given.uuid)]
    found: list[tuple[str, str | None, str, str | None]] = []
    for number, line in enumerate(filter(str.strip, given.episode_body.splitlines())):
        match = _SPOKEN.fullmatch(line.strip())
        name, text = (match[1].strip(), match[2]) if match else (None, line)
        named = next((role for role in Role if name and name.casefold() == role), None)
        speaker = name if named is None else None
        found.append((named or Role.USER, speaker, text, f"{given.uuid}-{number}" if given.uuid else None))
    return found


async def _search_nodes(context: ToolContext, caller: Caller, given: SearchNodesArguments) -> NodesResult:
    async def of(group: str) -> list[NodeResult]:
        types = [one.casefold() for one in given.entity_types]
        found = await context.memory.nodes.search(caller.tenant, group, given.query, types=types, limit=given.max_nodes)
        return [_node(one, group) for one in found]

    found = await _gather(_groups(caller, given.group_ids), of)
    return NodesResult(message=_counted(found, "nodes"), nodes=found[: given.max_nodes])


async def _search_facts(context: ToolContext, caller: Caller, given: SearchFactsArguments) -> FactsResult:
    async def of(group: str) -> list[tuple[float, FactResult]]:
        question = Question(user_id=group, text=given.query, limit=given.max_facts, kinds=(HitKind.FACT,))
        answer = await context.memory.recall(caller.tenant, question, asker=caller.asker)
        return [(hit.score, _fact(hit.candidate, group)) for hit in answer.hits]

    scored = await _gather(_groups(caller, given.group_ids), of)
    found = [fact for _, fact in sorted(scored, key=lambda one: -one[0])][: given.max_facts]
    return FactsResult(message=_counted(found, "facts"), facts=found)


async def _get_episodes(context: ToolContext, caller: Caller, given: EpisodesArguments) -> EpisodesResult:
    async def of(group: str) -> list[EpisodeResult]:
        return [
            EpisodeResult(
                uuid=said.id,
                name=said.speaker or said.role,
                content=said.text,
                created_at=said.said_at,
                group_id=group,
            )
            for said in await context.memory.messages.latest(caller.tenant, group, limit=given.max_episodes)
        ]

    found = await _gather(_groups(caller, given.group_ids), of)
    latest = sorted(found, key=lambda episode: episode.created_at, reverse=True)[: given.max_episodes]
    return EpisodesResult(message=_counted(latest, "episodes"), episodes=latest)


async def _get_status(context: ToolContext, caller: Caller, given: StatusArguments) -> StatusResult:
    state = await status_answer(context, caller)
    message = f"the database is {state.database}; {state.waiting + state.leased} jobs are pending"
    return StatusResult(status="ok" if state.database == "up" else "error", message=message)


def _deletion(kind: Forgettable) -> Any:
    async def act(context: ToolContext, caller: Caller, given: UuidArguments) -> MessageAnswer:
        await delete_element(context, caller, kind, given.uuid, None)
        return MessageAnswer(message=f"{given.uuid} was deleted")

    return act


async def _gather(groups: Sequence[str], ask: Any) -> list[Any]:
    return [one for found in await asyncio.gather(*map(ask, groups)) for one in found]


def _groups(caller: Caller, given: str | list[str] | None) -> list[str]:
    groups = [given] if isinstance(given, str) else given or [caller.user_of(None)]
    if len(groups) > _GROUPS_MAX:
        raise InputError(f"{len(groups)} groups in one call; use at most {_GROUPS_MAX}")
    return list(dict.fromkeys(groups))


def _node(found: NodeMatch, group: str) -> NodeResult:
    return NodeResult(
        uuid=found.id,
        name=found.name,
        labels=[found.kind, *([found.entity_type] if found.entity_type else [])],
        created_at=found.last_seen,
        summary=" ".join(fact.statement for fact in found.facts if fact.statement),
        group_id=group,
    )


def _fact(hit: Candidate, group: str) -> FactResult:
    return FactResult(
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
    compat_tool(
        "add_memory",
        "Store an episode (text, JSON, or lines of a conversation). Graphiti's name for remember.",
        AddMemoryArguments,
        MessageAnswer,
        Effect.ADDS,
        _add_memory,
    ),
    compat_tool(
        "search_nodes",
        "Search people, places and things by name or words, in Graphiti's format.",
        SearchNodesArguments,
        NodesResult,
        Effect.READS,
        _search_nodes,
    ),
    compat_tool(
        "search_memory_facts",
        "Search current facts for a question. Graphiti's name for recall, facts only.",
        SearchFactsArguments,
        FactsResult,
        Effect.READS,
        _search_facts,
    ),
    compat_tool(
        "get_episodes",
        "Return the latest messages, latest first.",
        EpisodesArguments,
        EpisodesResult,
        Effect.READS,
        _get_episodes,
    ),
    compat_tool(
        "delete_episode",
        "Delete a message by uuid, with everything derived from it.",
        UuidArguments,
        MessageAnswer,
        Effect.DELETES,
        _deletion(Forgettable.MESSAGE),
    ),
    compat_tool(
        "delete_entity_edge",
        "Delete a fact by uuid; it is not extracted again.",
        UuidArguments,
        MessageAnswer,
        Effect.DELETES,
        _deletion(Forgettable.FACT),
    ),
    compat_tool(
        "get_status", "Report whether the memory works.", StatusArguments, StatusResult, Effect.READS, _get_status
    ),
)
