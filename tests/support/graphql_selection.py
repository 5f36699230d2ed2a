"""GraphQL selections of every field that needs no argument."""

from typing import Any

from graphql import GraphQLObjectType, get_named_type, is_leaf_type, is_required_argument


def selection(kind: Any, depth: int) -> str:
    """Return the widest selection of a type down to `depth` fields; empty for a type without fields."""
    named = get_named_type(kind)
    if not isinstance(named, GraphQLObjectType):
        return ""
    inner = [
        f"{name} {selection(field.type, depth - 1)}"
        for name, field in named.fields.items()
        if not any(is_required_argument(argument) for argument in field.args.values())
        and (depth > 1 or is_leaf_type(get_named_type(field.type)))
    ]
    return "{ " + " ".join(inner) + " }" if inner else "{ __typename }"
