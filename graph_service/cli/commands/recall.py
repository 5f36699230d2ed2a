"""`mnemoscene recall`: query one user's memory."""

from typing import Annotated, Any, Final

import typer

from graph_service.cli.answer_tables import answer_view, ask_question
from graph_service.cli.options import Invocation, UserOption, command, iso_time, one_of
from graph_service.cli.service_client import service_of
from schema.labels import Role

# The values of GraphQL's enumerations HitKind and RecallMode, which are slow to import.
KINDS: Final = ("message", "scene", "fact")
MODES: Final = ("best", "layered", "similarity_importance")


@command
async def recall(
    call: Invocation,
    question: Annotated[str, typer.Argument(help="What to look for, in words.", show_default=False)],
    user: UserOption,
    limit: Annotated[int, typer.Option(help="Maximum number of hits, 1 to 100.")] = 5,
    evidence: Annotated[
        int, typer.Option(help="Maximum number of evidence messages for each fact and scene, 0 to 20.")
    ] = 2,
    start: Annotated[str | None, typer.Option("--from", help="Only what was said at or after this time.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Only what was said before this time.")] = None,
    valid_at: Annotated[str | None, typer.Option(help="Facts valid at this time; now by default.")] = None,
    as_of: Annotated[str | None, typer.Option(help="The memory as it was at this time; now by default.")] = None,
    mode: Annotated[str | None, typer.Option(help="best, layered or similarity_importance.")] = None,
    in_session: Annotated[str | None, typer.Option(help="Only this session.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only sessions with this agent.")] = None,
    kind: Annotated[
        list[str] | None, typer.Option(help="Only messages, scenes or facts: message, scene, fact; may be repeated.")
    ] = None,
    role: Annotated[list[str] | None, typer.Option(help="Only messages of this role; may be repeated.")] = None,
    entity: Annotated[
        list[str] | None, typer.Option(help="Only hits that mention this entity; may be repeated.")
    ] = None,
    tag: Annotated[
        list[str] | None, typer.Option(help="Only messages with this tag, and what they prove; may be repeated.")
    ] = None,
    min_score: Annotated[float | None, typer.Option(help="Only hits with at least this score.")] = None,
    after: Annotated[str | None, typer.Option(help="The cursor of the previous answer, for the next page.")] = None,
    asked_at: Annotated[
        str | None, typer.Option(help="The time of the question, to which `yesterday` refers; now by default.")
    ] = None,
    zone: Annotated[str | None, typer.Option(help="The time zone of dates: Asia/Shanghai or +08:00.")] = None,
) -> None:
    """Search a user's memory for the answer to a question, and show the hits with their evidence messages."""
    filters = {
        "inSession": in_session,
        "agentId": agent,
        "roles": [one_of(Role, one, "--role").name for one in role or ()],
        "entities": entity or [],
        "tags": tag or [],
        "minScore": min_score,
    }
    variables: dict[str, Any] = {
        "user": user,
        "limit": limit,
        "evidence": evidence,
        "kinds": [one_of(KINDS, one, "--kind").upper() for one in kind] if kind else None,
        "start": iso_time(start, "--from"),
        "end": iso_time(end, "--to"),
        "validAt": iso_time(valid_at, "--valid-at"),
        "asOf": iso_time(as_of, "--as-of"),
        "mode": None if mode is None else one_of(MODES, mode, "--mode").upper(),
        "filter": filters,
        "after": after,
        "askedAt": iso_time(asked_at, "--asked-at"),
        "zone": zone,
    }
    async with service_of(call) as service:
        answer = await ask_question(service, question, **variables)
    call.terminal.answer(answer, lambda: answer_view(answer))
