"""Parse and validate each GraphQL document once, reject operations that cost too much or are not allowed, and audit."""

import dataclasses
import re
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cachetools import LRUCache
from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLOutputType,
    GraphQLSchema,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionSetNode,
    Token,
    TokenKind,
    Undefined,
    get_named_type,
    get_operation_ast,
    is_composite_type,
    parse,
    validate,
    value_from_ast_untyped,
)
from strawberry.extensions import SchemaExtension
from strawberry.types.graphql import OperationType

from graph_service.auth.access import ANONYMOUS, Access, require_access
from graph_service.auth.audit import TARGETS_MAX
from graph_service.auth.authenticator import Authenticator
from graph_service.auth.rules import field_requirement
from schema.errors import ForbiddenError, MnemosceneError, QuarantinedError, TooCostlyError

# Cost model: a field costs 1; its selections count once per possible list item, as `limit` or `first` says, else
# `LIST_GUESS` times. Fields in `EXTRA` cost more because they run a search or a model. `evidence` costs its number of
# messages per item, selected or not.

DEPTH_MAX: Final = 8
ALIASES_MAX: Final = 15
COST_MAX: Final = 50_000
# Parsing runs on the event loop: 64,000 characters of one string take 60 ms, 2,000 tokens 20 ms. The usual
# introspection query has 400 tokens.
DOCUMENT_CHARS_MAX: Final = 64_000
TOKENS_MAX: Final = 2_000
# A document that is not cached costs one extra request per so many tokens or characters.
_TOKENS_PER_REQUEST: Final = 100
_CHARS_PER_REQUEST: Final = 4_000
# Unterminated strings and comments extend to the end of the line or text, so that matching stays linear.
_TOKEN: Final = re.compile(
    r'"""(?:[^"\\]++|\\"""|\\|"(?!""))*+(?:"""|\Z)'
    r'|"(?:[^"\\\n]++|\\.)*+"?'
    r"|[A-Za-z_][A-Za-z0-9_]*+|-?[0-9][0-9.eE+-]*+|\.\.\.|#[^\n]*+|[^\s,\ufeff]",
    re.DOTALL,
)
# Operations plus fragments: validation follows each fragment from each operation.
DEFINITIONS_MAX: Final = 50
SELECTIONS_MAX: Final = 1_000
# How often one response name may occur in one selection set.
REPEATS_MAX: Final = 10
# Validation compares fields of the same name in pairs, with their arguments. This bounds the sum over all names of
# occurrences times their total size.
COMPARISONS_MAX: Final = 50_000
_ARGUMENT_CHARS_PER_FIELD: Final = 16
# Each error about a value prints the whole value.
ERRORS_MAX: Final = 5
# The largest GraphQL Int; lengths in variables are not validated before the cost is computed.
_LENGTH_MAX: Final = 2**31 - 1
LIST_GUESS: Final = 10
EXTRA: Final[Mapping[str, int]] = {
    "recall": 50,
    "context": 100,
    "layer": 20,
    "items": 20,
    "itemNamespaces": 20,
    "cypher": 500,
    "sync": 1_000,
    "exportGraph": 1_000,
    "importGraph": 1_000,
    "generateLayers": 1_000,
    "suggestedMerges": 100,
}
# The argument with the number of messages per item, and the field that lists them.
_EVIDENCE: Final = "evidence"
# Arguments that bound the length of a field's list, or of the list in its result.
_LENGTHS: Final = ("first", "limit", "rows", "turns")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The computed cost of an operation.

    Attributes:
        aliases: number of aliased fields.
    """

    cost: int
    depth: int
    aliases: int

    @property
    def extension(self) -> dict[str, int]:
        return {"requested": self.cost, "max": COST_MAX, "depth": self.depth, "aliases": self.aliases}

    @property
    def problem(self) -> str | None:
        """Return why the operation is rejected, or None."""
        if self.depth > DEPTH_MAX:
            return f"the operation is {self.depth} fields deep, the maximum is {DEPTH_MAX}: split it"
        if self.aliases > ALIASES_MAX:
            return f"the operation has {self.aliases} aliases, the maximum is {ALIASES_MAX}: split it"
        if self.cost > COST_MAX:
            return (
                f"the operation costs {self.cost:,}, the maximum is {COST_MAX:,}: request fewer items (`limit`, "
                "`first`) or fewer fields"
            )
        return None


def tokens_in(text: str) -> int:
    """Return the number of tokens in a document, without comments; takes a twentieth of the parsing time."""
    return sum(1 for found in _TOKEN.finditer(text) if text[found.start()] != "#")


def document_problem(document: DocumentNode) -> str | None:
    """Return why a document is rejected before validation, or None.

    Runs in linear time without recursion; documents that pass are validated in bounded time.
    """
    definitions = len(document.definitions)
    if definitions > DEFINITIONS_MAX:
        return (
            f"the document has {definitions:,} operations and fragments, the maximum is {DEFINITIONS_MAX}: send several"
            " documents"
        )
    selections = 0
    occurrences: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for selection_set in _selection_sets(document):
        selections += len(selection_set.selections)
        repeats: dict[str, int] = {}
        for node in selection_set.selections:
            name = _response_name(node)
            repeats[name] = repeats.get(name, 0) + 1
            occurrences[name] = occurrences.get(name, 0) + 1
            sizes[name] = sizes.get(name, 0) + _size(node)
        most = max(repeats, key=lambda name: repeats[name])
        if repeats[most] > REPEATS_MAX:
            return f"{most[:60]!r} occurs {repeats[most]} times in one selection set; once is enough"
    if selections > SELECTIONS_MAX:
        return f"the document has {selections:,} selections, the maximum is {SELECTIONS_MAX:,}: send several documents"
    comparisons = sum(count * sizes[name] for name, count in occurrences.items())
    if comparisons > COMPARISONS_MAX:
        most = max(occurrences, key=lambda name: occurrences[name] * sizes[name])
        return f"{most[:60]!r} occurs {occurrences[most]} times in the document, too often to validate: send several"
    return None


def cost_of(
    schema: GraphQLSchema, document: DocumentNode, operation_name: str | None, variables: Mapping[str, Any]
) -> Cost:
    """Return the cost of a valid operation."""
    operation = get_operation_ast(document, operation_name)
    root = schema.get_root_type(operation.operation) if operation else None
    if operation is None or root is None:
        return Cost(cost=0, depth=0, aliases=0)
    fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
    defaults = {
        node.variable.name.value: value_from_ast_untyped(node.default_value)
        for node in operation.variable_definitions or ()
        if node.default_value is not None
    }
    return _CostCounter(schema, fragments, {**defaults, **variables}).of(operation.selection_set, root, None)


@dataclass(slots=True)
class _CostCounter:
    schema: GraphQLSchema
    fragments: Mapping[str, FragmentDefinitionNode]
    variables: dict[str, Any]
    seen: dict[tuple[str, int | None, int | None], Cost] = dataclasses.field(default_factory=dict)

    def of(self, selected: SelectionSetNode, kind: Any, length: int | None, evidence: int | None = None) -> Cost:
        """Return the cost of selections on a type.

        Args:
            kind: the GraphQL type.
            length: length of lists directly below, if an argument of the parent bounds them.
            evidence: length of evidence lists anywhere below, if bounded.
        """
        parts = [self._one(node, kind, length, evidence) for node in selected.selections]
        return Cost(
            cost=sum(part.cost for part in parts),
            depth=max((part.depth for part in parts), default=0),
            aliases=sum(part.aliases for part in parts),
        )

    def _one(self, node: Any, kind: Any, length: int | None, evidence: int | None) -> Cost:
        match node:
            case FieldNode():
                return self._field(node, kind, length, evidence)
            case InlineFragmentNode():
                named = self.schema.type_map[node.type_condition.name.value] if node.type_condition else kind
                return self.of(node.selection_set, named, length, evidence)
            case _:
                # A fragment costs the same everywhere, so it is counted once.
                key = (node.name.value, length, evidence)
                if key not in self.seen:
                    fragment = self.fragments[node.name.value]
                    named = self.schema.type_map[fragment.type_condition.name.value]
                    self.seen[key] = self.of(fragment.selection_set, named, length, evidence)
                return self.seen[key]

    def _field(self, node: FieldNode, kind: Any, length: int | None, evidence: int | None) -> Cost:
        name = node.name.value
        aliased = int(node.alias is not None)
        found = getattr(kind, "fields", {}).get(name)
        if found is None or name.startswith("__"):
            # Introspection is small.
            return Cost(cost=1, depth=1, aliases=aliased)
        own = 1 + EXTRA.get(name, 0)
        if node.selection_set is None or not is_composite_type(get_named_type(found.type)):
            return Cost(cost=own, depth=1, aliases=aliased)
        asked = self._length(node, found)
        many = _is_list(found.type)
        times = (asked or (evidence if name == _EVIDENCE else None) or length or LIST_GUESS) if many else 1
        if _EVIDENCE in found.args:
            evidence = self._given(node, found, _EVIDENCE)
            own += (asked or LIST_GUESS) * (evidence or 0)
        inner = self.of(node.selection_set, get_named_type(found.type), None if many else asked, evidence)
        return Cost(cost=own + times * inner.cost, depth=1 + inner.depth, aliases=aliased + inner.aliases)

    def _length(self, node: FieldNode, found: GraphQLField) -> int | None:
        name = next((name for name in _LENGTHS if name in found.args), None)
        value = None if name is None else self._given(node, found, name)
        return None if value is None else max(value, 1)

    def _given(self, node: FieldNode, found: GraphQLField, name: str) -> int | None:
        """Return the integer value of an argument, at least 0; None if it has none."""
        given = next((one.value for one in node.arguments or () if one.name.value == name), None)
        value = Undefined if given is None else value_from_ast_untyped(given, self.variables)
        value = found.args[name].default_value if value is Undefined else value
        return min(max(value, 0), _LENGTH_MAX) if isinstance(value, int) else None


def _is_list(kind: GraphQLOutputType) -> bool:
    bare = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
    return isinstance(bare, GraphQLList)


def _response_name(node: Any) -> str:
    """Return the response key of a field; for fragments a name that no field can have."""
    match node:
        case FieldNode():
            return (node.alias or node.name).value
        case FragmentSpreadNode():
            return f"...{node.name.value}"
        case _:
            return "..."


def _size(node: Any) -> int:
    """Return the cost of comparing a selection with another of its name: 1, more with long arguments."""
    given = getattr(node, "arguments", None) or ()
    chars: int = sum(argument.loc.end - argument.loc.start for argument in given if argument.loc is not None)
    return 1 + chars // _ARGUMENT_CHARS_PER_FIELD


def _selection_sets(document: DocumentNode) -> Iterator[SelectionSetNode]:
    pending: list[Any] = list(document.definitions)
    while pending:
        selection_set = getattr(pending.pop(), "selection_set", None)
        if selection_set is not None and selection_set.selections:
            yield selection_set
            pending.extend(selection_set.selections)


CACHE_BYTES_MAX: Final = 16 * 2**20
DOCUMENT_BYTES_MAX: Final = 512 * 2**10
# A parsed document takes 240 to 600 bytes per token, including locations (graphql-core 3.3, Python 3.11).
BYTES_PER_TOKEN: Final = 600
_NUMBERS: Final = (TokenKind.INT, TokenKind.FLOAT)
# Python rejects integers of more than 4,300 digits.
_DIGITS_MAX: Final = 100
_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]{0,199}"
# Placeholder for a document that cannot be parsed, so that it is not parsed again to report the error.
_EMPTY: Final = parse("{ __typename }")


def document_cache(bytes_max: int = CACHE_BYTES_MAX) -> LRUCache[str, DocumentNode]:
    """Return a cache of parsed documents that passed all checks, by their text, bounded in bytes.

    Shared by all tenants: a document contains only what its sender wrote, and is only found by exactly that text.
    """
    return LRUCache(bytes_max, getsizeof=document_bytes)


def document_bytes(document: DocumentNode) -> int:
    """Return an upper estimate of the memory of a parsed document and its text."""
    text = document.loc.source.body if document.loc is not None else ""
    return sys.getsizeof(text) + sum(1 for _ in _tokens(document)) * BYTES_PER_TOKEN


def _tokens(document: DocumentNode) -> Iterator[Token]:
    token = document.loc.start_token if document.loc is not None else None
    while token is not None:
        yield token
        token = token.next


_CACHE: Final = document_cache()


class PreparedExecution(SchemaExtension):
    """Provides the parsed document; rejects documents that are malformed, too large, invalid or too costly.

    Must run before extensions that need the document. Results carry their cost in `extensions.cost`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._cost: Cost | None = None
        self._known = False
        self._unparsed: GraphQLError | None = None

    def on_parse(self) -> Iterator[None]:
        """Parse the text within its limits, or take it from the cache; `on_validate` reports errors."""
        context = self.execution_context
        if context.query:
            context.graphql_document = _CACHE.get(context.query)
            self._known = context.graphql_document is not None
            if not self._known:
                tokens = tokens_in(context.query[:DOCUMENT_CHARS_MAX])
                access, auth = _caller(context.context)
                if auth is not None:
                    auth.charge(access, max(tokens // _TOKENS_PER_REQUEST, len(context.query) // _CHARS_PER_REQUEST))
                try:
                    context.graphql_document = _parsed(context.query, tokens)
                except GraphQLError as error:
                    self._unparsed = error
                    context.graphql_document = _placeholder(context.operation_name)
        yield

    def on_validate(self) -> Iterator[None]:
        """Validate the document and compute its cost; cache it if it passes."""
        context = self.execution_context
        document, text = context.graphql_document, context.query
        if document is not None:
            core: GraphQLSchema = context.schema._schema
            errors = self._document_errors(core, document)
            if not errors:
                self._cost = cost_of(core, document, context.operation_name, context.variables or {})
                errors = _refusals(self._cost.problem)
            if not errors and text and not self._known and document_bytes(document) <= DOCUMENT_BYTES_MAX:
                _CACHE[text] = document
            context.pre_execution_errors = list(errors)
        yield

    def get_results(self) -> dict[str, Any]:
        """Return the result's `extensions`."""
        return {} if self._cost is None else {"cost": self._cost.extension}

    def _document_errors(self, core: GraphQLSchema, document: DocumentNode) -> tuple[GraphQLError, ...]:
        if self._unparsed is not None:
            return (self._unparsed,)
        context = self.execution_context
        if not self._known:
            errors = _refusals(document_problem(document)) or tuple(validate(core, document, max_errors=ERRORS_MAX))
            if errors:
                return errors
        if context.context.get("socket") and context.operation_type is not OperationType.SUBSCRIPTION:
            return (GraphQLError("the WebSocket accepts subscriptions only; POST other operations"),)
        return ()


def _placeholder(operation_name: str | None) -> DocumentNode:
    """Return a placeholder document with an operation of the requested name, for reporting an error."""
    if operation_name is None or not re.fullmatch(_NAME, operation_name):
        return _EMPTY
    return parse(f"query {operation_name} {{ __typename }}")


def _refusals(problem: str | None) -> tuple[GraphQLError, ...]:
    return (GraphQLError(problem, original_error=TooCostlyError(problem)),) if problem else ()


def _parsed(text: str, tokens: int) -> DocumentNode:
    """Parse a document.

    Args:
        tokens: from `tokens_in`, which is cheaper than parsing.
    """
    if len(text) > DOCUMENT_CHARS_MAX:
        problem = (
            f"the document has {len(text):,} characters, the maximum is {DOCUMENT_CHARS_MAX:,}: send long values as"
            " variables"
        )
        raise _refusals(problem)[0]
    if tokens > TOKENS_MAX:
        problem = (
            f"the document has more than {TOKENS_MAX:,} tokens: send long lists as variables, or several documents"
        )
        raise _refusals(problem)[0]
    document = parse(text, max_tokens=TOKENS_MAX)
    if not any(isinstance(node, OperationDefinitionNode) for node in document.definitions):
        raise GraphQLError("the document contains no operation; send a query, mutation or subscription")
    if any(token.kind in _NUMBERS and token.end - token.start > _DIGITS_MAX for token in _tokens(document)):
        raise GraphQLError(
            f"the document contains a number with more than {_DIGITS_MAX} digits, larger than any valid value"
        )
    return document


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
        access, auth = _caller(context)
        refusal = self._refusal(access, operation, fields)
        if refusal is not None:
            # It comes before errors of validation, which would tell what the fields are.
            self.execution_context.pre_execution_errors = [refusal]
        elif auth is not None and operation is not None and not self.execution_context.pre_execution_errors:
            charged = [field for field in fields if not field.name.value.startswith("__")]
            auth.charge(access, len(charged) - 1)
        yield

    def _refusal(
        self, access: Access, operation: OperationDefinitionNode | None, fields: list[FieldNode]
    ) -> GraphQLError | None:
        """Return the error for the first root field that the role or the tenant's quarantine does not allow."""
        context = self.execution_context.context
        _, auth = _caller(context)
        if operation is None:
            return None
        for field in fields:
            name = field.name.value
            need = field_requirement(operation.operation.value, name)
            try:
                require_access(access, need, name)
                if auth is not None and not name.startswith("__"):
                    auth.quarantine.check(context["tenant"], need, name)
            except (ForbiddenError, QuarantinedError) as error:
                return GraphQLError(error.message, original_error=error, path=[name])
        return None

    async def on_operation(self) -> AsyncIterator[None]:
        """Write an audit entry after an operation with audited fields."""
        yield
        context = self.execution_context.context
        access, auth = _caller(context)
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


def _caller(context: Any) -> tuple[Access, Authenticator | None]:
    return context.get("access", ANONYMOUS), context.get("auth")


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
