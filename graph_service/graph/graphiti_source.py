"""Read the Neo4j database of Graphiti, without changing it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from neo4j import AsyncGraphDatabase
from neo4j.exceptions import AuthError, ClientError, ConfigurationError

from graph_service.graph.driver_errors import error_code, kind_of
from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Row
from schema.errors import InputError, UnavailableError

_ROWS: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphitiAddress:
    """Address and credentials of a Graphiti database.

    Attributes:
        group: only this group; None means all.
    """

    uri: str
    user: str
    password: str
    database: str | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphitiGraph:
    """The content of a Graphiti database: episodes by time, facts, and counts of elements that are not imported."""

    episodes: list[Row]
    facts: list[Row]
    rest: Mapping[str, int]


async def graphiti_graph(place: GraphitiAddress) -> GraphitiGraph:
    """Return the content of a Graphiti database, or of one group in it.

    Raises:
        InputError: wrong address, password or database.
        UnavailableError: no Neo4j answers there.
    """
    try:
        driver = AsyncGraphDatabase.driver(
            place.uri, auth=(place.user, place.password), connection_timeout=5.0, max_transaction_retry_time=0
        )
    except (ConfigurationError, ValueError) as error:
        raise InputError(f"{place.uri!r} is not the address of a Neo4j ({error}); use bolt://host:7687") from error
    async with driver:
        try:
            await driver.verify_connectivity()
        except (AuthError, ClientError) as error:
            raise InputError(
                f"{place.uri} refused the user {place.user!r} ({error.code}): check user and password"
            ) from error
        except Exception as error:
            if kind_of(error) is None:
                raise
            raise UnavailableError(f"no Neo4j answers at {place.uri} ({error_code(error)})") from error
        graph = Graph(driver, database=place.database)
        episodes = await _all(graph, _plain(statement("importers/graphiti_episodes")), place.group)
        facts = await _all(graph, _plain(statement("importers/graphiti_facts")), place.group)
        rest = (await graph.read(_plain(statement("importers/graphiti_other")), {"group": place.group}))[0]
    episodes.sort(key=lambda row: (str(row["valid_at"] or row["created_at"]), row["uuid"]))
    return GraphitiGraph(episodes=episodes, facts=facts, rest=rest)


def _plain(one: Statement) -> Statement:
    """Remove the Cypher version: Graphiti's server may be older than 2026.02."""
    return replace(one, text=one.text.partition("\n")[2])


async def _all(graph: Graph, page: Statement, group: str | None) -> list[Row]:
    found: list[Row] = []
    parameters: dict[str, Any] = {"group": group, "after": "", "rows": _ROWS}
    while rows := await graph.read(page, parameters):
        found += rows
        parameters["after"] = rows[-1]["uuid"]
    return found
