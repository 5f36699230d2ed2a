"""The GraphQL schema: root types, `remember` and `recall`, and error codes."""

import logging
import math
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Annotated, Any, Final

import strawberry
from graphql import GraphQLError
from starlette.exceptions import WebSocketException
from starlette.requests import HTTPConnection
from starlette.status import WS_1008_POLICY_VIOLATION
from strawberry.extensions import SchemaExtension
from strawberry.scalars import JSON
from strawberry.schema.config import StrawberryConfig
from strawberry.subscriptions import GRAPHQL_TRANSPORT_WS_PROTOCOL
from strawberry.tools import create_type
from strawberry.types import ExecutionResult, Info, StreamExecutionResult

from graph_service.api.descriptions import argument, field, mutation
from graph_service.api.graphql import (
    changes,
    context,
    curation,
    facts,
    forgetting,
    graph,
    items,
    jobs,
    lists,
    messages,
    questions,
    sessions,
)
from graph_service.api.graphql.arguments import (
    SCALARS,
    AgentOwnerArgument,
    OwnerArgument,
    WhereArgument,
    asker_of,
    memory_of,
    view_of,
)
from graph_service.api.graphql.authorization import RoleGuard
from graph_service.api.graphql.changes import Follow, Subscription
from graph_service.api.graphql.execution import PreparedExecution
from graph_service.api.graphql.messages import selected_names
from graph_service.api.graphql.remember_recall import (
    AfterArgument,
    FilterArgument,
    JobStatus,
    ModeArgument,
    RecallAnswer,
    RememberInput,
    RememberReceipt,
    answer_view,
    hit_and_evidence,
    query_filters,
    receipt_view,
)
from graph_service.api.graphql.router import FastRouter
from graph_service.api.tenant import tenant_of
from graph_service.auth.access import access_of
from graph_service.auth.authenticator import Authenticator
from graph_service.auth.connection_slots import ConnectionSlots
from graph_service.memory.argument_checks import owner_of
from graph_service.memory.recall.pipeline import TextBudget
from graph_service.memory.recall.query import HitKind, Question
from graph_service.memory.recall.question_log import Door
from graph_service.memory.service import Memory
from schema.errors import InputError, MnemosceneError, RateLimitError, TooCostlyError
from schema.filters import parse_filter
from schema.ids import TenantId

_log = logging.getLogger("mnemoscene.graphql")
# The beginning of the User-Agent of commands, whose questions are shown as such.
COMMAND_AGENT: Final = "mnemoscene-command/"


@field
async def recall(
    info: Info[Any, None],
    query: Annotated[str, argument("The question.")],
    user_id: OwnerArgument = None,
    agent_id: AgentOwnerArgument = None,
    limit: Annotated[int, argument("Maximum number of hits, 1 to 100.")] = 10,
    kinds: Annotated[list[HitKind] | None, argument("Only these kinds. Default: all.")] = None,
    start: Annotated[
        datetime | None, argument("Only messages said at or after this time, scenes and facts of it.")
    ] = None,
    end: Annotated[datetime | None, argument("Only messages said before this time, scenes and facts of it.")] = None,
    valid_at: Annotated[
        datetime | None, argument("Valid time: facts that were valid then. Default: `asOf`, or now.")
    ] = None,
    as_of: Annotated[
        datetime | None, argument("Transaction time: the memory as it was then. Later messages are ignored.")
    ] = None,
    asked_at: Annotated[
        datetime | None, argument("Reference time for expressions such as `yesterday`. Default: now.")
    ] = None,
    zone: Annotated[str | None, argument("Time zone of the question: `Asia/Shanghai` or `+08:00`.")] = None,
    evidence: Annotated[int, argument("Number of evidence messages per hit, 0 to 20.")] = 0,
    session_id: Annotated[
        str | None, argument("The current session; pronouns are resolved in its recent messages.")
    ] = None,
    mode: ModeArgument = None,
    filters: FilterArgument = None,
    where: WhereArgument = None,
    after: AfterArgument = None,
    watched: Annotated[
        bool, argument("False for a person's own search: it appears in no `questions`, and counts as no use.")
    ] = True,
) -> RecallAnswer:
    """Search one user's memory for a question; hits are sorted best first. One database round trip."""
    question = Question(
        user_id=owner_of(user_id, agent_id),
        text=query,
        limit=limit,
        kinds=tuple(kinds) if kinds is not None else tuple(HitKind),
        start=start,
        end=end,
        valid_at=valid_at,
        as_of=as_of,
        asked_at=asked_at,
        zone=zone,
        evidence=evidence,
        session_id=session_id,
        mode=mode,
        filters=replace(query_filters(filters, after), where=parse_filter(where)),
    )
    asker, budget = asker_of(info) if watched else None, info.context.setdefault("texts", TextBudget())
    memory, tenant = memory_of(info), info.context["tenant"]
    answer = await memory.recall(tenant, question, asker=asker, budget=budget)
    view = answer_view(answer)
    if not answer.degraded and "metadata" in selected_names(info, "hits"):
        found = await memory.messages.metadata(tenant, [hit_and_evidence(hit) for hit in answer.hits])
        for hit, metadata in zip(view.hits, found, strict=True):
            hit.metadata = JSON(metadata)
    return view


@field
async def job_status(info: Info[Any, None]) -> JobStatus:
    """Counts of the tenant's unfinished background work."""
    memory, tenant = memory_of(info), info.context["tenant"]
    depth = await memory.spool.depth(tenant)
    return view_of(JobStatus, await memory.backlog(tenant), spooled=depth.waiting)


@mutation
async def remember(
    info: Info[Any, None], input: Annotated[RememberInput, argument("The messages, optionally with facts.")]
) -> RememberReceipt:
    """Store messages durably; scenes, facts and vectors follow in the background. Idempotent."""
    return receipt_view(await memory_of(info).remember(info.context["tenant"], input.incoming()))


# The root fields, in the order of the documents.
Query = create_type(
    "Query",
    [
        graph.cypher,
        context.context,
        curation.corrections,
        facts.fact,
        graph.node,
        graph.entity,
        graph.scene,
        graph.user,
        graph.neighbors,
        graph.path,
        graph.graph,
        graph.facts,
        graph.timeline,
        graph.users,
        facts.fact_history,
        curation.entities,
        curation.merges,
        curation.suggested_merges,
        items.item,
        items.items,
        items.item_namespaces,
        context.layer,
        changes.changes_since,
        lists.scenes,
        lists.jobs,
        lists.stats,
        messages.messages,
        messages.conversation,
        messages.message,
        messages.is_read,
        context.profile,
        questions.ask,
        questions.questions,
        questions.recall_cases,
        curation.review_cards,
        curation.contradictions,
        jobs.quarantine,
        sessions.sessions,
        sessions.session,
        sessions.fact_events,
        sessions.short_term,
        jobs.spool,
        jobs.usage,
        jobs.dead_letters,
        recall,
        job_status,
    ],
)
Mutation = create_type(
    "Mutation",
    [
        jobs.export_graph,
        jobs.import_graph,
        curation.add_fact,
        curation.update_fact,
        curation.confirm_fact,
        curation.reject_fact,
        curation.pin_fact,
        curation.undo_correction,
        facts.reopen_fact,
        forgetting.forget_message,
        forgetting.forget_scene,
        forgetting.forget_session,
        forgetting.forget,
        forgetting.forget_fact,
        forgetting.forget_entity,
        forgetting.forget_user,
        curation.merge_entities,
        curation.split_entity,
        curation.reject_merge,
        curation.allow_merge,
        items.put_items,
        context.generate_layers,
        messages.set_message,
        jobs.begin_quarantine,
        jobs.end_quarantine,
        questions.judge_recall,
        sessions.close_session,
        sessions.index_memories,
        jobs.pause_spool,
        jobs.retry_spooled,
        jobs.drop_spooled,
        jobs.reextract_scenes,
        jobs.retry_dead_letters,
        jobs.retry_dead_letter,
        jobs.sync,
        jobs.cancel_jobs,
        remember,
    ],
)


class ErrorCodes(SchemaExtension):
    """Give every error a stable code, and hide the details of unexpected ones."""

    async def on_operation(self) -> AsyncIterator[None]:
        """Convert the errors of an operation."""
        yield
        result = self.execution_context.result
        if result is not None and result.errors:
            result.errors = [_with_code(error) for error in result.errors]

    async def on_stream_result(self, result: StreamExecutionResult) -> AsyncIterator[None]:
        """Convert the errors of a subscription's event."""
        if isinstance(result, ExecutionResult) and result.errors:
            result.errors = [_with_code(error) for error in result.errors]
        yield


def _with_code(error: GraphQLError) -> GraphQLError:
    cause = error.original_error
    if isinstance(cause, MnemosceneError):
        extensions: dict[str, Any] = {"code": cause.code}
        if isinstance(cause, InputError) and not isinstance(cause, TooCostlyError):
            extensions["problems"] = list(cause.problems)
        if isinstance(cause, RateLimitError):
            extensions["retryAfterS"] = math.ceil(cause.retry_after_s)
        return GraphQLError(cause.message, nodes=error.nodes, path=error.path, extensions=extensions)
    if cause is None or isinstance(cause, GraphQLError):
        error.extensions = {"code": InputError.code, **(error.extensions or {})}
        return error
    _log.error("a GraphQL operation failed unexpectedly", exc_info=cause)
    return GraphQLError(
        "internal error; please report this bug",
        nodes=error.nodes,
        path=error.path,
        extensions={"code": MnemosceneError.code},
    )


graphql_schema = strawberry.Schema(
    query=Query,
    mutation=Mutation,
    subscription=Subscription,
    config=StrawberryConfig(scalar_map=SCALARS),
    extensions=[ErrorCodes, PreparedExecution, RoleGuard],
)


async def execute_command(
    memory: Memory, tenant: TenantId, document: str, variables: Mapping[str, Any]
) -> dict[str, Any]:
    """Execute a document for a command that has opened the memory itself, and return the response body."""
    context = {"memory": memory, "tenant": tenant, "door": Door.COMMAND}
    result = await graphql_schema.execute(document, variable_values=dict(variables), context_value=context)
    return {"data": result.data, "errors": [error.formatted for error in result.errors or ()]}


def _tenant(request: HTTPConnection) -> TenantId:
    """Return the tenant of the request; refuse a WebSocket handshake whose tenant is invalid or not allowed."""
    try:
        return tenant_of(request)
    except MnemosceneError as error:
        if request.scope["type"] == "websocket":
            raise WebSocketException(WS_1008_POLICY_VIOLATION, error.code) from error
        raise


def graphql_router(memory: Memory, auth: Authenticator | None = None, follow: Follow | None = None) -> FastRouter:
    """Return the GraphQL route, for POST and WebSocket; it needs the access that the request gate puts into the scope.

    Args:
        auth: writes the audit log; None disables it.
        follow: yields changes as they are committed; None disables subscriptions.
    """

    slots = ConnectionSlots("sockets", most=1_024, of_tenant=256, of_credential=64)

    async def context(request: HTTPConnection) -> dict[str, Any]:
        return {
            "memory": memory,
            "tenant": _tenant(request),
            "access": access_of(request),
            "auth": auth,
            "follow": follow,
            "socket": request.scope["type"] == "websocket",
            "slots": slots,
            "door": Door.COMMAND if request.headers.get("User-Agent", "").startswith(COMMAND_AGENT) else Door.GRAPHQL,
        }

    return FastRouter(
        graphql_schema,
        context_getter=context,
        graphql_ide=None,
        allow_queries_via_get=False,
        subscription_protocols=() if follow is None else (GRAPHQL_TRANSPORT_WS_PROTOCOL,),
        connection_init_wait_timeout=timedelta(seconds=3),
        max_subscriptions_per_connection=4,
    )
