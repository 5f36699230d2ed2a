"""`mnemograph recall`: a question to one user's memory."""

from typing import TYPE_CHECKING, Annotated

import typer

from graph_service.cli.answer_tables import answer_document, answer_view
from graph_service.cli.commands.remember import moment
from graph_service.cli.open_services import opened
from graph_service.cli.options import ConfigOption, JsonOption, TenantOption, merged, one_of, settings_of
from graph_service.cli.signals import run
from graph_service.cli.terminal import Terminal
from graph_service.config.settings import Settings
from schema.tenant_name import tenant_named

if TYPE_CHECKING:
    from graph_service.memory.recall.query import Question


def recall(
    ctx: typer.Context,
    question: Annotated[str, typer.Argument(help="What to look for, in words.", show_default=False)],
    user: Annotated[str, typer.Option(help="Whose memory is asked.", show_default=False)],
    limit: Annotated[int, typer.Option(help="How many hits at most, 1 to 100.")] = 5,
    evidence: Annotated[int, typer.Option(help="How many proving messages for each fact and scene, 0 to 20.")] = 2,
    start: Annotated[str | None, typer.Option("--from", help="Only what was said from this moment on.")] = None,
    end: Annotated[str | None, typer.Option("--to", help="Only what was said before this moment.")] = None,
    valid_at: Annotated[str | None, typer.Option(help="Facts that held at this moment instead of now.")] = None,
    as_of: Annotated[str | None, typer.Option(help="Only by what was known at this moment.")] = None,
    mode: Annotated[str | None, typer.Option(help="best, layered or similarity_importance.")] = None,
    in_session: Annotated[str | None, typer.Option(help="Only this conversation.")] = None,
    agent: Annotated[str | None, typer.Option(help="Only conversations with this agent.")] = None,
    role: Annotated[list[str] | None, typer.Option(help="Only what this role said; may be repeated.")] = None,
    about: Annotated[list[str] | None, typer.Option(help="Only what names this; may be repeated.")] = None,
    min_score: Annotated[float | None, typer.Option(help="Only hits with at least this score.")] = None,
    after: Annotated[str | None, typer.Option(help="The cursor of the last answer: what comes next.")] = None,
    asked_at: Annotated[str | None, typer.Option(help="When it is asked, for `yesterday`; now when left out.")] = None,
    zone: Annotated[str | None, typer.Option(help="Whose days are meant: Asia/Shanghai or +08:00.")] = None,
    config: ConfigOption = None,
    tenant: TenantOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find what a user's memory holds about a question, with the messages that prove it."""
    from graph_service.memory.recall.query import Mode, QueryFilters, Question, check_question
    from schema.labels import Role

    common = merged(ctx, config, tenant, as_json)
    asked = Question(
        user_id=user,
        text=question,
        limit=limit,
        evidence=evidence,
        start=moment(start, "--from"),
        end=moment(end, "--to"),
        valid_at=moment(valid_at, "--valid-at"),
        as_of=moment(as_of, "--as-of"),
        mode=None if mode is None else one_of(Mode, mode, "--mode"),
        narrowed=QueryFilters(
            session_id=in_session,
            agent_id=agent,
            roles=tuple(one_of(Role, one, "--role") for one in role or ()),
            entities=tuple(about or ()),
            score_min=min_score,
            after=after,
        ),
        asked_at=moment(asked_at, "--asked-at"),
        zone=zone,
    )
    check_question(asked)
    run(_recall(settings_of(common), asked, Terminal(as_json=common.as_json)))


async def _recall(settings: Settings, asked: "Question", terminal: Terminal) -> None:
    tenant = tenant_named(settings.tenant)
    async with opened(settings, terminal) as parts:
        answer = await parts.memory.recall(tenant, asked)
    terminal.answer(answer_document(asked.text, answer), lambda: answer_view(asked.text, answer))
