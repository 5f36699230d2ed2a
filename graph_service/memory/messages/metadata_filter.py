"""Find the messages whose metadata match a filter `where`."""

import json
from dataclasses import dataclass
from typing import Any, Final

from graph_service.graph.lucene import all_tags_query
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.tags import metadata_marker, metadata_tokens
from schema.filters import Filter, matches, parse_filter, required_values
from schema.ids import TenantId
from schema.json_text import read_json

# Messages with metadata that one filter compares; the others of a larger memory are left out.
COMPARED_MAX: Final = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchingMessages:
    """The messages that match a filter.

    Attributes:
        ids: the latest first.
        excludes: `ids` are those that do not match, because messages without metadata do.
    """

    ids: tuple[str, ...] = ()
    excludes: bool = True


ALL_MESSAGES: Final = MatchingMessages()


def where_text(where: object) -> str | None:
    """Return a checked filter as text; None for no filter.

    Raises:
        InputError: see `parse_filter`.
    """
    parse_filter(where)
    return None if where is None else json.dumps(where, sort_keys=True)


def parsed_where(text: str | None) -> Filter:
    """Return the filter of a text from `where_text`."""
    return parse_filter(None if text is None else json.loads(text))


def metadata_of(text: str | None) -> dict[str, Any]:
    """Return stored metadata; empty for damaged text."""
    try:
        values = {} if text is None else read_json(text)
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}


async def matching_messages(graph: Graph, tenant: TenantId, user_id: str, where: str | None) -> MatchingMessages:
    """Return the messages of a user that match a filter.

    Args:
        where: as `where_text` returns it.

    Raises:
        UnavailableError: Neo4j does not answer.
    """
    if where is None:
        return ALL_MESSAGES
    tree = parsed_where(where)
    excludes = matches(tree, {})
    required = {} if excludes else required_values(tree)
    tokens = [metadata_marker(tenant, user_id), *metadata_tokens(tenant, user_id, required)]
    parameters = {
        "tenant": tenant,
        "user_id": user_id,
        "token_query": all_tags_query(tokens),
        "rows_max": COMPARED_MAX,
    }
    rows = await graph.read(statement("messages/with_metadata"), parameters)
    ids = tuple(row["id"] for row in rows if matches(tree, metadata_of(row["metadata"])) != excludes)
    return MatchingMessages(ids=ids, excludes=excludes)
