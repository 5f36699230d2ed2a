"""Read the Neo4j database of Graphiti, without changing it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from neo4j import AsyncGraphDatabase
from neo4j.exceptions import AuthError, ClientError, ConfigurationError

from graph_service.graph.driver_errors import error_code, kind_of
from graph_service.graph.statements import Statement, statement
from graph_service.graph.store import Graph, Row
from schema.errors import InputError, UnavailableError

_ROWS: Final = 500


async def graphiti_graph(
    uri: str, *, user: str, password: str, group: str | None
) -> tuple[list[Row], list[Row], Mapping[str, int]]:
    """Return the content of a Graphiti database: episodes by time, facts, and counts of what is not imported.

    Args:
        group: only this group; None means all.

    Raises:
        InputError: wrong address, password or database.
        UnavailableError: no Neo4j answers there.
    """
    try:
        driver = AsyncGraphDatabase.driver(
            uri, auth=(user, password), connection_timeout=5.0, max_transaction_retry_time=0
        )
    except (ConfigurationError, ValueError) as error:
        raise InputError(f"{uri!r} is not the address of a Neo4j ({error}); use bolt://host:7687") from error
    async with driver:
        try:
            await driver.verify_connectivity()
        except (AuthError, ClientError) as error:
            raise InputError(f"{uri} refused the user {user!r} ({error.code}): check user and password") from error
        except Exception as error:
            if kind_of(error) is None:
                raise
            raise UnavailableError(f"no Neo4j answers at {uri} ({error_code(error)})") from error
        graph = Graph(driver, database=None)
        episodes = await _all(graph, _plain(statement("importers/graphiti_episodes")), group)
        facts = await _all(graph, _plain(statement("importers/graphiti_facts")), group)
        rest = (await graph.read(_plain(statement("importers/graphiti_other")), {"group": group}))[0]
    episodes.sort(key=lambda row: (str(row["valid_at"] or row["created_at"]), row["uuid"]))
    return episodes, facts, rest


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
