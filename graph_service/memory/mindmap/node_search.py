"""Search users, agents and entities by words or by name, each with its facts."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from extraction.text.fulltext_words import words_in
from extraction.text.name_forms import all_forms
from graph_service.graph.lucene import forms_query, scoped_query
from graph_service.graph.rows import from_row
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row
from graph_service.memory.argument_checks import check_ids, check_limit, text_problem
from schema.entity import EntityType
from schema.errors import InputError
from schema.ids import MemoryId, TenantId, name_key, scope_token
from schema.limits import LIMITS

NAMED_MAX: Final = 1_000
# Candidates of each full-text index.
_INDEX_ROWS: Final = 50
_NAMES_MAX: Final = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class FactOfNode:
    """Summary of a valid fact; subject and object are names.

    Not a `Fact`: a search returns thousands of them within milliseconds, with only these columns.
    """

    id: MemoryId
    subject: str
    predicate: str
    relation: str | None
    object: str
    statement: str | None
    valid_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeMatch:
    """A user, agent or entity with its strongest facts.

    Attributes:
        kind: User, Agent or Entity.
        attributes: details of an entity that are not facts, by name.
    """

    id: MemoryId
    uri: str
    kind: str
    name: str
    aliases: tuple[str, ...]
    entity_type: str | None
    last_seen: datetime
    attributes: dict[str, str]
    facts: tuple[FactOfNode, ...]


class Nodes:
    """Search the users, agents and entities of one tenant and user."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def search(
        self, tenant: TenantId, user_id: str, query: str, *, types: Sequence[str] = (), limit: int = 10, facts: int = 5
    ) -> list[NodeMatch]:
        """Return the nodes of one memory that match a query, best first, each with its strongest valid facts.

        Args:
            types: only entities of these types; empty means all nodes.
            facts: maximum number of facts of each, 0 to 100.
        """
        _check(user_id, limit, facts)
        problems = [f"query {problem}"] if (problem := text_problem(query, LIMITS.query_chars)) else []
        unknown = [one for one in types if one not in tuple(EntityType)]
        problems += [f"entity type {one!r} is unknown; use one of {', '.join(EntityType)}" for one in unknown]
        if problems:
            raise InputError("; ".join(problems), tuple(problems))
        scope, words = scope_token(tenant, user_id), words_in(query)
        parameters = {
            "tenant": tenant,
            "user_id": user_id,
            "names": scoped_query(words, fields=["name", "aliases"], scope_user=scope, days=False),
            "forms": forms_query(sorted({scope_token(tenant, user_id, form) for form in _forms(query, words)})),
            "facts": scoped_query(words, fields=["statement", "relation"], scope_user=scope, days=False),
            "types": list(types),
            "index_rows": _INDEX_ROWS,
            "rows_max": limit,
            "facts_max": facts,
        }
        return [_found(row) for row in await self._graph.read(statement("mindmap/search_nodes"), parameters)]

    async def named(
        self, tenant: TenantId, user_id: str, names: Sequence[str] | None, *, limit: int = 100, facts: int = 20
    ) -> list[NodeMatch]:
        """Return the nodes of one memory with these names, the most recently mentioned first; one round trip.

        Args:
            names: names in any case and width; None means all nodes.
            limit: maximum number of nodes, 1 to 1,000.
            facts: maximum number of facts of each, 0 to 100.
        """
        _check(user_id, 1, facts)
        check_limit(limit, NAMED_MAX)
        parameters = {
            "tenant": tenant,
            "user_id": user_id,
            "every": names is None,
            "keys": [name_key(name) for name in names or ()],
            "rows_max": limit,
            "facts_max": facts,
        }
        return [_found(row) for row in await self._graph.read(statement("mindmap/nodes_by_name"), parameters)]


def _check(user_id: str, limit: int, facts: int) -> None:
    check_ids(userId=user_id)
    check_limit(limit)
    check_limit(facts, least=0, name="facts")


def _forms(query: str, words: Sequence[str]) -> set[str]:
    """Return the spellings of the query as one name, if it is short enough, and of each of its words."""
    names = [query, *words] if len(query) <= LIMITS.name_chars else words
    return {form for name in names[:_NAMES_MAX] for form in all_forms(name)}


def _found(row: Row) -> NodeMatch:
    facts = tuple(_fact(values) for values in row["facts"])
    return from_row(NodeMatch, row, attributes=json.loads(row["attributes"] or "{}"), facts=facts)


def _fact(values: Sequence[object]) -> FactOfNode:
    names = ("id", "subject", "predicate", "relation", "object", "statement", "valid_at")
    return FactOfNode(**dict(zip(names, values, strict=True)))  # type: ignore[arg-type]  # columns of a driver's record
