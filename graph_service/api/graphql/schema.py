"""The GraphQL schema: root types, `remember` and `recall`, and error codes."""

import logging
import math
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from typing import Any, Final

import strawberry
from graphql import GraphQLError
from starlette.exceptions import WebSocketException
from starlette.requests import HTTPConnection
from starlette.status import WS_1008_POLICY_VIOLATION
from strawberry.extensions import SchemaExtension
from strawberry.schema.config import StrawberryConfig
from strawberry.subscriptions import GRAPHQL_TRANSPORT_WS_PROTOCOL
from strawberry.tools import create_type
from strawberry.types import ExecutionResult, StreamExecutionResult
from strawberry.types.field import StrawberryField

from graph_service.api.graphql import changes, context, curation, graph, items, jobs, messages, nodes, recall
from graph_service.api.graphql.changes import Follow, Subscription
from graph_service.api.graphql.execution import PreparedExecution, RoleGuard
from graph_service.api.graphql.fields import SCALARS, Call, value_at
from graph_service.api.graphql.router import FastRouter
from graph_service.api.request_gate import tenant_of
from graph_service.auth.access import access_of
from graph_service.auth.authenticator import Authenticator
from graph_service.auth.connection_slots import ConnectionSlots
from graph_service.memory.recall.question_log import Door
from graph_service.memory.service import Memory
from schema.errors import InputError, MnemosceneError, RateLimitError, TooCostlyError
from schema.ids import TenantId

_log = logging.getLogger("mnemoscene.graphql")
# The beginning of the User-Agent of commands, whose questions are shown as such.
COMMAND_AGENT: Final = "mnemoscene-command/"


def _root(name: str, fields: str) -> type:
    """Return a root type with the fields of these names, in this order, each from the module that declares it."""
    modules = (changes, context, curation, graph, items, jobs, messages, nodes, recall)
    declared = {key: one for module in modules for key, one in vars(module).items() if isinstance(one, StrawberryField)}
    return create_type(name, [declared[key] for key in fields.split()])


Query = _root(
    "Query",
    "cypher context corrections fact node entity scene user neighbors path graph facts timeline users fact_history "
    "entities merges suggested_merges item items item_namespaces layer changes_since scenes jobs stats messages "
    "conversation message is_read profile ask questions recall_cases review_cards contradictions quarantine sessions "
    "session fact_events short_term spool usage dead_letters recall job_status",
)
Mutation = _root(
    "Mutation",
    "export_graph import_graph add_fact update_fact confirm_fact reject_fact pin_fact undo_correction reopen_fact "
    "forget_message forget_scene forget_session forget forget_fact forget_entity forget_user merge_entities "
    "split_entity reject_merge allow_merge put_items generate_layers set_message begin_quarantine end_quarantine "
    "judge_recall close_session index_memories pause_spool retry_spooled drop_spooled reextract_scenes "
    "retry_dead_letters retry_dead_letter sync cancel_jobs remember",
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
    config=StrawberryConfig(scalar_map=SCALARS, info_class=Call, default_resolver=value_at),
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
