"""Find the messages whose metadata match a filter `where`."""

from dataclasses import dataclass
from typing import Any, Final

from graph_service.graph.lucene import all_tags_query
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.tags import metadata_marker, metadata_tokens
from schema.filters import EVERYTHING, Filter, matches, required_values
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


def metadata_of(text: str | None) -> dict[str, Any]:
    """Return stored metadata; empty for damaged text."""
    try:
        values = {} if text is None else read_json(text)
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}


async def matching_messages(graph: Graph, tenant: TenantId, user_id: str, where: Filter) -> MatchingMessages:
    """Return the messages of a user that match a filter."""
    if where == EVERYTHING:
        return ALL_MESSAGES
    excludes = matches(where, {})
    required = {} if excludes else required_values(where)
    tokens = [metadata_marker(tenant, user_id), *metadata_tokens(tenant, user_id, required)]
    parameters = {
        "tenant": tenant,
        "user_id": user_id,
        "token_query": all_tags_query(tokens),
        "rows_max": COMPARED_MAX,
    }
    rows = await graph.read(statement("messages/with_metadata"), parameters)
    ids = tuple(row["id"] for row in rows if matches(where, metadata_of(row["metadata"])) != excludes)
    return MatchingMessages(ids=ids, excludes=excludes)
