"""Parses and validates each text of GraphQL once, and refuses operations that cost too much before they run."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from graphql import DocumentNode, GraphQLError, GraphQLSchema, parse, validate
from strawberry.extensions import SchemaExtension
from strawberry.types.graphql import OperationType

from graph_service.api.graphql_limits import TOKENS_MAX, Cost, cost_of, unfit
from schema.errors import TooCostlyError

_TEXTS_MAX: Final = 256
# Longer texts are parsed each time: nobody sends them often, and they would fill the memory.
_KEPT_CHARS_MAX: Final = 16_000


class Prepared(SchemaExtension):
    """Keeps what does not depend on the values: the document of a text, and what is wrong with it.

    Comes first among the extensions; answers tell their cost in `extensions.cost`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._cost: Cost | None = None

    def on_parse(self) -> Iterator[None]:
        """Runs around the parsing; a text that cannot be parsed is told so by what parses it then."""
        context = self.execution_context
        if context.query:
            try:
                context.graphql_document = _parsed(context.query)
            except GraphQLError:
                context.parse_options["max_tokens"] = TOKENS_MAX
        yield

    def on_validate(self) -> Iterator[None]:
        """Runs around the validation."""
        context = self.execution_context
        document, text = context.graphql_document, context.query
        if document is not None:
            core: GraphQLSchema = context.schema._schema
            errors = _mistakes(core, text, document) if text else ()
            if (
                not errors
                and context.context.get("socket")
                and context.operation_type is not OperationType.SUBSCRIPTION
            ):
                errors = (GraphQLError("only subscriptions go over the socket; POST everything else"),)
            if not errors:
                self._cost = cost_of(core, document, context.operation_name, context.variables or {})
                errors = self._too_much()
            context.pre_execution_errors = list(errors)
        yield

    def get_results(self) -> dict[str, Any]:
        """What stands in `extensions` of the answer."""
        return {} if self._cost is None else {"cost": self._cost.told}

    def _too_much(self) -> tuple[GraphQLError, ...]:
        problem = self._cost.problem if self._cost else None
        return (_refusal(problem),) if problem else ()


def _refusal(problem: str) -> GraphQLError:
    return GraphQLError(problem, original_error=TooCostlyError(problem))


def _parsed(text: str) -> DocumentNode:
    return _parsed_once(text) if len(text) <= _KEPT_CHARS_MAX else parse(text, max_tokens=TOKENS_MAX)


@lru_cache(maxsize=_TEXTS_MAX)
def _parsed_once(text: str) -> DocumentNode:
    return parse(text, max_tokens=TOKENS_MAX)


def _mistakes(core: GraphQLSchema, text: str, document: DocumentNode) -> tuple[GraphQLError, ...]:
    return _mistakes_once(core, text) if len(text) <= _KEPT_CHARS_MAX else _mistakes_in(core, document)


@lru_cache(maxsize=_TEXTS_MAX)
def _mistakes_once(core: GraphQLSchema, text: str) -> tuple[GraphQLError, ...]:
    return _mistakes_in(core, _parsed(text))


def _mistakes_in(core: GraphQLSchema, document: DocumentNode) -> tuple[GraphQLError, ...]:
    problem = unfit(document)
    return (_refusal(problem),) if problem else tuple(validate(core, document))
