"""`mnemoscene recall`: query one user's memory."""

from typing import TYPE_CHECKING, Annotated

import typer

from graph_service.cli.answer_tables import answer_document, answer_view
from graph_service.cli.open_services import open_for
from graph_service.cli.options import Invocation, UserOption, command, one_of, parse_time
from graph_service.cli.question_report import by_command, report_question
from graph_service.cli.signals import run

if TYPE_CHECKING:
    from graph_service.memory.recall.query import Question


@command
def recall(
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
    from graph_service.memory.recall.query import HitKind, Mode, QueryFilters, Question, check_question
    from schema.labels import Role

    query = Question(
        user_id=user,
        text=question,
        limit=limit,
        evidence=evidence,
        kinds=tuple(one_of(HitKind, one, "--kind") for one in kind) if kind else tuple(HitKind),
        start=parse_time(start, "--from"),
        end=parse_time(end, "--to"),
        valid_at=parse_time(valid_at, "--valid-at"),
        as_of=parse_time(as_of, "--as-of"),
        mode=None if mode is None else one_of(Mode, mode, "--mode"),
        filters=QueryFilters(
            session_id=in_session,
            agent_id=agent,
            roles=tuple(one_of(Role, one, "--role") for one in role or ()),
            entities=tuple(entity or ()),
            tags=tuple(tag or ()),
            score_min=min_score,
            after=after,
        ),
        asked_at=parse_time(asked_at, "--asked-at"),
        zone=zone,
    )
    check_question(query)
    run(_recall(call, query))


async def _recall(call: Invocation, question: "Question") -> None:
    async with open_for(call) as services:
        answer = await services.memory.recall(call.tenant, question, asker=by_command())
        await report_question(call.settings, services.memory, call.tenant)
    call.terminal.answer(answer_document(question.text, answer), lambda: answer_view(question.text, answer))
