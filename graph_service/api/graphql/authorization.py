"""Check access to each root field of an operation, and write the audit log."""

import re
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    get_operation_ast,
    value_from_ast_untyped,
)
from strawberry.extensions import SchemaExtension

from graph_service.auth.access import ANONYMOUS, Access, require_access
from graph_service.auth.audit import TARGETS_MAX
from graph_service.auth.authenticator import Authenticator
from graph_service.auth.rules import field_requirement
from schema.errors import ForbiddenError, MnemosceneError, QuarantinedError

_ID_NAME: Final = re.compile(r"(?:^i|I)ds?$")
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class RoleGuard(SchemaExtension):
    """Rejects an operation before any of it runs if the caller may not use one of its root fields.

    Must be the last extension, so that it sees errors before they are converted.
    """

    def on_validate(self) -> Iterator[None]:
        """Reject an operation before its variables are read, or charge its rate limit.

        Each root field beyond the first counts as one more request, also under an alias.
        """
        context = self.execution_context.context
        operation, fields = self._requested()
        access = _access(context)
        auth = _auth(context)
        refusal = self._refusal(access, operation, fields)
        if refusal is not None:
            # It comes before errors of validation, which would tell what the fields are.
            self.execution_context.pre_execution_errors = [refusal]
        elif auth is not None and not access.is_anonymous and operation is not None and self._is_valid:
            charged = [field for field in fields if not field.name.value.startswith("__")]
            auth.charge(access, len(charged) - 1)
        yield

    @property
    def _is_valid(self) -> bool:
        return not self.execution_context.pre_execution_errors

    def _refusal(
        self, access: Access, operation: OperationDefinitionNode | None, fields: list[FieldNode]
    ) -> GraphQLError | None:
        """Return the error for the first root field that the role or the tenant's quarantine does not allow."""
        context = self.execution_context.context
        auth = _auth(context)
        if operation is None:
            return None
        for field in fields:
            name = field.name.value
            need = field_requirement(operation.operation.value, name)
            try:
                require_access(access, need, name)
                if auth is not None and not name.startswith("__"):
                    auth.check_quarantine(context["tenant"], need, name)
            except (ForbiddenError, QuarantinedError) as error:
                return GraphQLError(error.message, original_error=error, path=[name])
        return None

    async def on_operation(self) -> AsyncIterator[None]:
        """Write an audit entry after an operation with audited fields."""
        yield
        context = self.execution_context.context
        access, auth = _access(context), _auth(context)
        if access.is_anonymous or auth is None or self.execution_context.graphql_document is None:
            return
        operation, fields = self._requested()
        names = [field.name.value for field in fields]
        if operation is None or not any(field_requirement(operation.operation.value, name).audited for name in names):
            return
        result = self.execution_context.result
        errors = (result.errors if result is not None else None) or self.execution_context.pre_execution_errors
        await auth.write_audit(
            access,
            tenant=context["tenant"],
            interface="graphql",
            what=tuple(names),
            targets=tuple(_targets(fields, self.execution_context.variables or {}))[:TARGETS_MAX],
            outcome=_code(errors[0]) if errors else "done",
        )

    def _requested(self) -> tuple[OperationDefinitionNode | None, list[FieldNode]]:
        document = self.execution_context.graphql_document
        if document is None:
            return None, []
        operation = get_operation_ast(document, self.execution_context.operation_name)
        return operation, list(_root_fields(document, operation.selection_set)) if operation else []


def _access(context: Any) -> Access:
    access: Access = context.get("access", ANONYMOUS)
    return access


def _auth(context: Any) -> Authenticator | None:
    auth: Authenticator | None = context.get("auth")
    return auth


def _root_fields(document: DocumentNode, selected: SelectionSetNode) -> Iterator[FieldNode]:
    """Yield the root fields, including those in fragments and under directives."""
    fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
    pending, seen = list(selected.selections), set[str]()
    while pending:
        node = pending.pop()
        match node:
            case FieldNode():
                yield node
            case InlineFragmentNode():
                pending.extend(node.selection_set.selections)
            case FragmentSpreadNode() if node.name.value in fragments and node.name.value not in seen:
                seen.add(node.name.value)
                pending.extend(fragments[node.name.value].selection_set.selections)


def _targets(fields: list[FieldNode], variables: dict[str, Any]) -> Iterator[str]:
    """Yield the UUIDs in arguments named as ids; other ids may contain text of users."""
    for field in fields:
        for argument in field.arguments or ():
            if _ID_NAME.search(argument.name.value):
                value = value_from_ast_untyped(argument.value, variables)
                values = value if isinstance(value, list) else [value]
                yield from (one for one in values if isinstance(one, str) and _UUID.fullmatch(one))


def _code(error: GraphQLError) -> str:
    cause = error.original_error
    if isinstance(cause, MnemosceneError):
        return cause.code
    return str((error.extensions or {}).get("code", "REFUSED"))
