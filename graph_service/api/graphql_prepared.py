"""Parse and validate each document of GraphQL once, and refuse operations that cost too much before they run."""

import re
import sys
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, Final

from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    OperationDefinitionNode,
    Token,
    TokenKind,
    parse,
    validate,
)
from strawberry.extensions import SchemaExtension
from strawberry.types.graphql import OperationType

from graph_service.api.graphql_limits import (
    DOCUMENT_CHARS_MAX,
    ERRORS_MAX,
    TOKENS_MAX,
    Cost,
    cost_of,
    requests_worth,
    tokens_in,
    unfit,
)
from graph_service.auth.access import ANYBODY
from graph_service.auth.gate import Gate
from schema.errors import TooCostlyError

KEPT_BYTES_MAX: Final = 16 * 2**20
KEPT_DOCUMENT_BYTES_MAX: Final = 512 * 2**10
# A parsed document takes 240 to 600 bytes a token, its locations included (graphql-core 3.3, Python 3.11).
BYTES_PER_TOKEN: Final = 600
_NUMBERS: Final = (TokenKind.INT, TokenKind.FLOAT)
# Python refuses to read an integer of more than 4,300.
_DIGITS_MAX: Final = 100
_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]{0,199}"
# Stands for a document that cannot be parsed, so that its text is not parsed a second time to be refused.
_NOTHING: Final = parse("{ __typename }")


class KeptDocuments:
    """Parsed documents that were valid and within every limit, by their text; the longest unused go first.

    All tenants share them: a document holds nothing but what its sender wrote, and only the same text finds it.

    Args:
        bytes_max: of all documents together, as estimated from their tokens.
        document_bytes_max: larger ones are not kept, and are parsed each time.
    """

    def __init__(self, *, bytes_max: int = KEPT_BYTES_MAX, document_bytes_max: int = KEPT_DOCUMENT_BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._document_bytes_max = document_bytes_max
        self._kept: OrderedDict[str, tuple[DocumentNode, int]] = OrderedDict()
        self._bytes = 0

    @property
    def bytes(self) -> int:
        """The estimated size of all that is kept."""
        return self._bytes

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, text: str) -> DocumentNode | None:
        """Return the document of a text; None when it is not kept."""
        found = self._kept.get(text)
        if found is None:
            return None
        self._kept.move_to_end(text)
        return found[0]

    def put(self, text: str, document: DocumentNode) -> None:
        """Keep a document, unless it is too large."""
        size = document_bytes(text, document)
        if size > self._document_bytes_max or text in self._kept:
            return
        self._kept[text] = (document, size)
        self._bytes += size
        while self._bytes > self._bytes_max:
            self._bytes -= self._kept.popitem(last=False)[1][1]


def document_bytes(text: str, document: DocumentNode) -> int:
    """Return about how much memory a parsed document holds, rather too much than too little."""
    return sys.getsizeof(text) + sum(1 for _ in _tokens(document)) * BYTES_PER_TOKEN


def _tokens(document: DocumentNode) -> Iterator[Token]:
    token = document.loc.start_token if document.loc is not None else None
    while token is not None:
        yield token
        token = token.next


_KEPT: Final = KeptDocuments()


class Prepared(SchemaExtension):
    """Provides the parsed document, and refuses what is malformed, too large, invalid or too costly.

    Comes first among the extensions; answers tell their cost in `extensions.cost`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._cost: Cost | None = None
        self._known = False
        self._unparsed: GraphQLError | None = None

    def on_parse(self) -> Iterator[None]:
        """Parse the text within its limits, unless its document is kept; an error is reported by `on_validate`."""
        context = self.execution_context
        if context.query:
            context.graphql_document = _KEPT.get(context.query)
            self._known = context.graphql_document is not None
            if not self._known:
                tokens = tokens_in(context.query[:DOCUMENT_CHARS_MAX])
                self._charge(requests_worth(tokens, len(context.query)))
                try:
                    context.graphql_document = _parsed(context.query, tokens)
                except GraphQLError as error:
                    self._unparsed = error
                    context.graphql_document = _stand_in(context.operation_name)
        yield

    def on_validate(self) -> Iterator[None]:
        """Validate the document and count its cost; keep it when it is within every limit."""
        context = self.execution_context
        document, text = context.graphql_document, context.query
        if document is not None:
            core: GraphQLSchema = context.schema._schema
            errors = self._mistakes(core, document)
            if not errors:
                self._cost = cost_of(core, document, context.operation_name, context.variables or {})
                errors = _refusals(self._cost.problem)
            if not errors and text and not self._known:
                _KEPT.put(text, document)
            context.pre_execution_errors = list(errors)
        yield

    def get_results(self) -> dict[str, Any]:
        """Return what stands in `extensions` of the answer."""
        return {} if self._cost is None else {"cost": self._cost.told}

    def _charge(self, requests: int) -> None:
        context = self.execution_context.context
        gate: Gate | None = context.get("gate")
        if gate is not None:
            gate.charge(context.get("access", ANYBODY), requests)

    def _mistakes(self, core: GraphQLSchema, document: DocumentNode) -> tuple[GraphQLError, ...]:
        if self._unparsed is not None:
            return (self._unparsed,)
        context = self.execution_context
        if not self._known:
            errors = _refusals(unfit(document)) or tuple(validate(core, document, max_errors=ERRORS_MAX))
            if errors:
                return errors
        if context.context.get("socket") and context.operation_type is not OperationType.SUBSCRIPTION:
            return (GraphQLError("only subscriptions go over the socket; POST everything else"),)
        return ()


def _stand_in(operation_name: str | None) -> DocumentNode:
    """Return a document in whose place an error is reported; it holds the operation that is asked for."""
    if operation_name is None or not re.fullmatch(_NAME, operation_name):
        return _NOTHING
    return parse(f"query {operation_name} {{ __typename }}")


def _refusals(problem: str | None) -> tuple[GraphQLError, ...]:
    return (GraphQLError(problem, original_error=TooCostlyError(problem)),) if problem else ()


def _parsed(text: str, tokens: int) -> DocumentNode:
    """Return the document of a text.

    Raises:
        GraphQLError: it is too long or malformed, or holds no operation.

    Args:
        tokens: as `tokens_in` counts them; counting is cheap, so a document of too many is not parsed at all.
    """
    if len(text) > DOCUMENT_CHARS_MAX:
        problem = (
            f"the document has {len(text):,} characters, at most {DOCUMENT_CHARS_MAX:,} are taken: send long values as"
            " variables"
        )
        raise _refusals(problem)[0]
    if tokens > TOKENS_MAX:
        problem = (
            f"the document has more than {TOKENS_MAX:,} tokens; send long lists as variables, or several documents"
        )
        raise _refusals(problem)[0]
    document = parse(text, max_tokens=TOKENS_MAX)
    if not any(isinstance(node, OperationDefinitionNode) for node in document.definitions):
        raise GraphQLError("the document holds no operation; send a query, mutation or subscription")
    if any(token.kind in _NUMBERS and token.end - token.start > _DIGITS_MAX for token in _tokens(document)):
        raise GraphQLError(
            f"the document holds a number of more than {_DIGITS_MAX} digits; no value here is that large"
        )
    return document
