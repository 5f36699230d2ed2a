"""What an operation costs before it is run, and which are too deep, too wide or too costly. Pure.

A field costs one; what it holds is counted as often as its list may be long: as `limit` or `first` says, else
`LIST_GUESS`. Fields of `EXTRA` cost more, because a search or a model stands behind them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLField,
    GraphQLList,
    GraphQLNonNull,
    GraphQLOutputType,
    GraphQLSchema,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
    get_named_type,
    is_composite_type,
)

DEPTH_MAX: Final = 8
ALIASES_MAX: Final = 15
COST_MAX: Final = 50_000
TOKENS_MAX: Final = 20_000
# Selections of a whole document, and how often one name may stand beside itself: validation compares them in pairs.
SELECTIONS_MAX: Final = 1_000
REPEATS_MAX: Final = 20
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
        """Why it is not run; None when it is."""
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


def unfit(document: DocumentNode) -> str | None:
    """Why a document is not even validated; None when it is."""
    selections = 0
    for chosen in _sets(document):
        selections += len(chosen.selections)
        names: dict[str, int] = {}
        for node in chosen.selections:
            match node:
                case FieldNode():
                    name = (node.alias or node.name).value
                case FragmentSpreadNode():
                    name = f"...{node.name.value}"
                case _:
                    name = "..."
            names[name] = names.get(name, 0) + 1
        often = max(names, key=lambda name: names[name])
        if names[often] > REPEATS_MAX:
            return f"{often[:60]!r} stands {names[often]} times beside itself; once is enough"
    if selections > SELECTIONS_MAX:
        return f"the document has {selections:,} selections, at most {SELECTIONS_MAX:,} are taken; send several"
    return None


def cost_of(
    schema: GraphQLSchema, document: DocumentNode, operation_name: str | None, variables: Mapping[str, Any]
) -> Cost:
    """What a valid operation costs."""
    operations = [node for node in document.definitions if isinstance(node, OperationDefinitionNode)]
    operation = next(
        (one for one in operations if operation_name is None or (one.name and one.name.value == operation_name)), None
    )
    root = schema.get_root_type(operation.operation) if operation else None
    if operation is None or root is None:
        return Cost(cost=0, depth=0, aliases=0)
    fragments = {node.name.value: node for node in document.definitions if isinstance(node, FragmentDefinitionNode)}
    defaults = {
        node.variable.name.value: int(node.default_value.value)
        for node in operation.variable_definitions or ()
        if isinstance(node.default_value, IntValueNode)
    }
    return _Counting(schema, fragments, {**defaults, **variables}).of(operation.selection_set, root, None)


@dataclass(slots=True)
class _Counting:
    schema: GraphQLSchema
    fragments: Mapping[str, FragmentDefinitionNode]
    variables: Mapping[str, Any]
    seen: dict[tuple[str, int | None], Cost] = field(default_factory=dict)

    def of(self, chosen: SelectionSetNode, kind: Any, length: int | None) -> Cost:
        """What some selections of a type cost.

        Args:
            length: of the lists directly in it, when an argument above said so.
        """
        parts = [self._one(node, kind, length) for node in chosen.selections]
        return Cost(
            cost=sum(part.cost for part in parts),
            depth=max((part.depth for part in parts), default=0),
            aliases=sum(part.aliases for part in parts),
        )

    def _one(self, node: Any, kind: Any, length: int | None) -> Cost:
        match node:
            case FieldNode():
                return self._field(node, kind, length)
            case InlineFragmentNode():
                named = node.type_condition
                return self.of(node.selection_set, self.schema.type_map[named.name.value] if named else kind, length)
            case _:
                # A fragment costs the same wherever it stands, so each is counted once.
                key = (node.name.value, length)
                if key not in self.seen:
                    fragment = self.fragments[node.name.value]
                    self.seen[key] = self.of(
                        fragment.selection_set, self.schema.type_map[fragment.type_condition.name.value], length
                    )
                return self.seen[key]

    def _field(self, node: FieldNode, kind: Any, length: int | None) -> Cost:
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
        inner = self.of(node.selection_set, get_named_type(found.type), None if many else asked)
        times = (asked or length or LIST_GUESS) if many else 1
        return Cost(cost=own + times * inner.cost, depth=1 + inner.depth, aliases=aliased + inner.aliases)

    def _length(self, node: FieldNode, found: GraphQLField) -> int | None:
        given = {argument.name.value: argument.value for argument in node.arguments or ()}
        for name in _LENGTHS:
            if name not in found.args:
                continue
            value: Any = found.args[name].default_value
            match given.get(name):
                case IntValueNode(value=text):
                    value = int(text)
                case VariableNode() as variable:
                    value = self.variables.get(variable.name.value, value)
            return max(value, 1) if isinstance(value, int) else None
        return None


def _is_list(kind: GraphQLOutputType) -> bool:
    bare = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
    return isinstance(bare, GraphQLList)


def _sets(document: DocumentNode) -> Iterator[SelectionSetNode]:
    waiting: list[Any] = list(document.definitions)
    while waiting:
        chosen = getattr(waiting.pop(), "selection_set", None)
        if chosen is not None and chosen.selections:
            yield chosen
            waiting.extend(chosen.selections)
