"""Parse and validate each document of GraphQL once, and refuse operations that cost too much before they run."""

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
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
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    Token,
    TokenKind,
    VariableNode,
    get_named_type,
    is_composite_type,
    parse,
    validate,
)
from strawberry.extensions import SchemaExtension
from strawberry.types.graphql import OperationType

from graph_service.auth.access import ANYBODY
from graph_service.auth.gate import Gate
from schema.errors import TooCostlyError

# What an operation costs before it is run, and which are too deep, too wide or too costly. Pure.
#
# A field costs one; what it holds is counted as often as its list may be long: as `limit` or `first` says, else
# `LIST_GUESS`. Fields of `EXTRA` cost more, because a search or a model stands behind them; `evidence` costs as many
# messages as it brings with each element, whether they are selected or not.

DEPTH_MAX: Final = 8
ALIASES_MAX: Final = 15
COST_MAX: Final = 50_000
# Parsing runs on the event loop: 64,000 characters of one string take 60 ms, 2,000 tokens 20 ms. The usual
# question for the whole schema has 400 tokens.
DOCUMENT_CHARS_MAX: Final = 64_000
TOKENS_MAX: Final = 2_000
# A document that is not kept yet costs its sender one request more for so much of it.
_TOKENS_PER_REQUEST: Final = 100
_CHARS_PER_REQUEST: Final = 4_000
# Strings and comments without an end reach to the end of their line or of the text, so that no part is read twice.
_TOKEN: Final = re.compile(
    r'"""(?:[^"\\]++|\\"""|\\|"(?!""))*+(?:"""|\Z)'
    r'|"(?:[^"\\\n]++|\\.)*+"?'
    r"|[A-Za-z_][A-Za-z0-9_]*+|-?[0-9][0-9.eE+-]*+|\.\.\.|#[^\n]*+|[^\s,\ufeff]",
    re.DOTALL,
)
# Operations and fragments of a document: validation follows each fragment from each operation.
DEFINITIONS_MAX: Final = 50
SELECTIONS_MAX: Final = 1_000
# How often one name may stand beside itself in one selection set.
REPEATS_MAX: Final = 10
# Validation compares the fields of one name in pairs, with their arguments: the sum over all names of how often one
# occurs times the size of all its occurrences.
COMPARISONS_MAX: Final = 50_000
_ARGUMENT_CHARS_PER_FIELD: Final = 16
# Each error of a value prints the value as a whole.
ERRORS_MAX: Final = 5
# No GraphQL Int is larger; a length from a variable is not checked before the cost is counted.
_LENGTH_MAX: Final = 2**31 - 1
LIST_GUESS: Final = 10
EXTRA: Final[Mapping[str, int]] = {
    "recall": 50,
    "context": 100,
    "layer": 20,
    "cypher": 500,
    "sync": 1_000,
    "indexMemories": 1_000,
    "exportGraph": 1_000,
    "importGraph": 1_000,
    "generateLayers": 1_000,
    "suggestedMerges": 100,
}
# The argument that says how many messages come with each element of an answer, and the list that holds them.
_EVIDENCE: Final = "evidence"
# Arguments that say how long the list of a field gets, or that of what it answers with.
_LENGTHS: Final = ("first", "limit", "rows", "turns")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What an operation asks for.

    Attributes:
        aliases: fields under another name.
    """

    cost: int
    depth: int
    aliases: int

    @property
    def told(self) -> dict[str, int]:
        """As `extensions.cost` tells it."""
        return {"requested": self.cost, "max": COST_MAX, "depth": self.depth, "aliases": self.aliases}

    @property
    def problem(self) -> str | None:
        """Return why it is not run; None when it is."""
        if self.depth > DEPTH_MAX:
            return f"the operation is {self.depth} fields deep, at most {DEPTH_MAX} are allowed: ask in two steps"
        if self.aliases > ALIASES_MAX:
            return f"the operation has {self.aliases} aliases, at most {ALIASES_MAX} are allowed: send several"
        if self.cost > COST_MAX:
            return (
                f"the operation costs {self.cost:,}, at most {COST_MAX:,} is allowed: ask for fewer items (`limit`, "
                "`first`) or fewer fields of each"
            )
        return None


def tokens_in(text: str) -> int:
    """Return how many tokens a document has, in a twentieth of the time that parsing takes; comments are none."""
    return sum(1 for found in _TOKEN.finditer(text) if text[found.start()] != "#")


def requests_worth(tokens: int, chars: int) -> int:
    """Return how many requests the reading of a document costs beyond its own."""
    return max(tokens // _TOKENS_PER_REQUEST, chars // _CHARS_PER_REQUEST)


def unfit(document: DocumentNode) -> str | None:
    """Return why a document is refused before it is validated; None when it is validated.

    Takes linear time and does not recurse; what passes is validated in bounded time.
    """
    definitions = len(document.definitions)
    if definitions > DEFINITIONS_MAX:
        return (
            f"the document has {definitions:,} operations and fragments, at most {DEFINITIONS_MAX} are taken; send"
            " several documents"
        )
    selections = 0
    often: dict[str, int] = {}
    sizes: dict[str, int] = {}
    for chosen in _sets(document):
        selections += len(chosen.selections)
        beside: dict[str, int] = {}
        for node in chosen.selections:
            name = _response_name(node)
            beside[name] = beside.get(name, 0) + 1
            often[name] = often.get(name, 0) + 1
            sizes[name] = sizes.get(name, 0) + _size(node)
        most = max(beside, key=lambda name: beside[name])
        if beside[most] > REPEATS_MAX:
            return f"{most[:60]!r} stands {beside[most]} times beside itself; once is enough"
    if selections > SELECTIONS_MAX:
        return f"the document has {selections:,} selections, at most {SELECTIONS_MAX:,} are taken; send several"
    comparisons = sum(count * sizes[name] for name, count in often.items())
    if comparisons > COMPARISONS_MAX:
        most = max(often, key=lambda name: often[name] * sizes[name])
        return f"{most[:60]!r} occurs {often[most]} times in the document, which is too often to compare; send several"
    return None


def cost_of(
    schema: GraphQLSchema, document: DocumentNode, operation_name: str | None, variables: Mapping[str, Any]
) -> Cost:
    """Return what a valid operation costs."""
    operations = [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]
    operation = next(
        (one for one in operations if operation_name is None or (one.name and one.name.value == operation_name)), None
    )
    root = schema.get_root_type(operation.operation) if operation else None
    if operation is None or root is None:
        return Cost(cost=0, depth=0, aliases=0)
    fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
    defaults = {
        node.variable.name.value: _whole(node.default_value.value)
        for node in operation.variable_definitions or ()
        if isinstance(node.default_value, IntValueNode)
    }
    return _Counting(schema, fragments, {**defaults, **variables}).of(operation.selection_set, root, None)


@dataclass(slots=True)
class _Counting:
    schema: GraphQLSchema
    fragments: Mapping[str, FragmentDefinitionNode]
    variables: Mapping[str, Any]
    seen: dict[tuple[str, int | None, int | None], Cost] = field(default_factory=dict)

    def of(self, chosen: SelectionSetNode, kind: Any, length: int | None, proofs: int | None = None) -> Cost:
        """Return what some selections of a type cost.

        Args:
            length: of the lists directly in it, when an argument above said so.
            proofs: of the lists of evidence anywhere in it, likewise.
        """
        parts = [self._one(node, kind, length, proofs) for node in chosen.selections]
        return Cost(
            cost=sum(part.cost for part in parts),
            depth=max((part.depth for part in parts), default=0),
            aliases=sum(part.aliases for part in parts),
        )

    def _one(self, node: Any, kind: Any, length: int | None, proofs: int | None) -> Cost:
        match node:
            case FieldNode():
                return self._field(node, kind, length, proofs)
            case InlineFragmentNode():
                named = self.schema.type_map[node.type_condition.name.value] if node.type_condition else kind
                return self.of(node.selection_set, named, length, proofs)
            case _:
                # A fragment costs the same wherever it stands, so each is counted once.
                key = (node.name.value, length, proofs)
                if key not in self.seen:
                    fragment = self.fragments[node.name.value]
                    named = self.schema.type_map[fragment.type_condition.name.value]
                    self.seen[key] = self.of(fragment.selection_set, named, length, proofs)
                return self.seen[key]

    def _field(self, node: FieldNode, kind: Any, length: int | None, proofs: int | None) -> Cost:
        name = node.name.value
        aliased = int(node.alias is not None)
        found = getattr(kind, "fields", {}).get(name)
        if found is None or name.startswith("__"):
            # Introspection is small, whatever it says.
            return Cost(cost=1, depth=1, aliases=aliased)
        own = 1 + EXTRA.get(name, 0)
        if node.selection_set is None or not is_composite_type(get_named_type(found.type)):
            return Cost(cost=own, depth=1, aliases=aliased)
        asked = self._length(node, found)
        many = _is_list(found.type)
        times = (asked or (proofs if name == _EVIDENCE else None) or length or LIST_GUESS) if many else 1
        if _EVIDENCE in found.args:
            proofs = self._given(node, found, _EVIDENCE)
            own += (asked or LIST_GUESS) * (proofs or 0)
        inner = self.of(node.selection_set, get_named_type(found.type), None if many else asked, proofs)
        return Cost(cost=own + times * inner.cost, depth=1 + inner.depth, aliases=aliased + inner.aliases)

    def _length(self, node: FieldNode, found: GraphQLField) -> int | None:
        name = next((name for name in _LENGTHS if name in found.args), None)
        value = None if name is None else self._given(node, found, name)
        return None if value is None else max(value, 1)

    def _given(self, node: FieldNode, found: GraphQLField, name: str) -> int | None:
        """Return the number that an argument of a field has, 0 at least; None when it has none."""
        value: Any = found.args[name].default_value
        match next((one.value for one in node.arguments or () if one.name.value == name), None):
            case IntValueNode(value=text):
                value = _whole(text)
            case VariableNode() as variable:
                value = self.variables.get(variable.name.value, value)
        return min(max(value, 0), _LENGTH_MAX) if isinstance(value, int) else None


def _whole(digits: str) -> int:
    """Return a literal as a number; one with more digits than an Int has counts as the largest."""
    return int(digits) if len(digits) <= 11 else _LENGTH_MAX


def _is_list(kind: GraphQLOutputType) -> bool:
    bare = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
    return isinstance(bare, GraphQLList)


def _response_name(node: Any) -> str:
    """Return the key of a field in an answer; of a spread or an inline fragment a name that no field has."""
    match node:
        case FieldNode():
            return (node.alias or node.name).value
        case FragmentSpreadNode():
            return f"...{node.name.value}"
        case _:
            return "..."


def _size(node: Any) -> int:
    """Return how much there is of a field to compare with another: one, and more for long arguments."""
    given = getattr(node, "arguments", None) or ()
    chars: int = sum(argument.loc.end - argument.loc.start for argument in given if argument.loc is not None)
    return 1 + chars // _ARGUMENT_CHARS_PER_FIELD


def _sets(document: DocumentNode) -> Iterator[SelectionSetNode]:
    waiting: list[Any] = list(document.definitions)
    while waiting:
        chosen = getattr(waiting.pop(), "selection_set", None)
        if chosen is not None and chosen.selections:
            yield chosen
            waiting.extend(chosen.selections)


CACHE_BYTES_MAX: Final = 16 * 2**20
DOCUMENT_BYTES_MAX: Final = 512 * 2**10
# A parsed document takes 240 to 600 bytes a token, its locations included (graphql-core 3.3, Python 3.11).
BYTES_PER_TOKEN: Final = 600
_NUMBERS: Final = (TokenKind.INT, TokenKind.FLOAT)
# Python refuses to read an integer of more than 4,300.
_DIGITS_MAX: Final = 100
_NAME: Final = r"[A-Za-z_][A-Za-z0-9_]{0,199}"
# Stands for a document that cannot be parsed, so that its text is not parsed a second time to be refused.
_NOTHING: Final = parse("{ __typename }")


class DocumentCache:
    """LRU cache of parsed documents that passed all checks, by their text; bounded in bytes.

    Shared by all tenants: a document holds only what its sender wrote, and only the same text finds it.

    Args:
        bytes_max: for all documents together, as estimated from their tokens.
        document_bytes_max: larger documents are not cached.
    """

    def __init__(self, *, bytes_max: int = CACHE_BYTES_MAX, document_bytes_max: int = DOCUMENT_BYTES_MAX) -> None:
        self._document_bytes_max = document_bytes_max
        self._cache: LRUCache[str, tuple[DocumentNode, int]] = LRUCache(bytes_max, getsizeof=itemgetter(1))

    @property
    def bytes(self) -> int:
        """The estimated size of all cached documents."""
        return int(self._cache.currsize)

    def __len__(self) -> int:
        return len(self._cache)

    def get(self, text: str) -> DocumentNode | None:
        """Return the document of a text, or None."""
        found = self._cache.get(text)
        return None if found is None else found[0]

    def put(self, text: str, document: DocumentNode) -> None:
        """Cache a document unless it is too large."""
        size = document_bytes(text, document)
        if size <= self._document_bytes_max:
            self._cache[text] = (document, size)


def document_bytes(text: str, document: DocumentNode) -> int:
    """Return an upper estimate of the memory of a parsed document."""
    return sys.getsizeof(text) + sum(1 for _ in _tokens(document)) * BYTES_PER_TOKEN


def _tokens(document: DocumentNode) -> Iterator[Token]:
    token = document.loc.start_token if document.loc is not None else None
    while token is not None:
        yield token
        token = token.next


_CACHE: Final = DocumentCache()


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
            context.graphql_document = _CACHE.get(context.query)
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
                _CACHE.put(text, document)
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
