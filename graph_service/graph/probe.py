"""Asks a server who it is, without changing anything in it."""

from neo4j import AsyncGraphDatabase
from neo4j.exceptions import AuthError, ConfigurationError, DriverError, Neo4jError

from graph_service.graph.database import OLDEST_VERSION, version_of
from schema.errors import InstallError, UnavailableError

ANSWER_MAX_S = 5.0


async def probe_server(*, uri: str, user: str, password: str) -> str:
    """The version of the server, such as `2026.08.1`.

    Raises:
        InstallError: wrong address or password, or a server that is too old.
        UnavailableError: nothing answers.
    """
    try:
        driver = AsyncGraphDatabase.driver(
            uri, auth=(user, password), connection_timeout=ANSWER_MAX_S, telemetry_disabled=True
        )
    except (ConfigurationError, ValueError) as error:
        raise InstallError(f"{uri!r} is not an address of a Neo4j: {error}") from error
    async with driver:
        try:
            server = await driver.get_server_info()
        except AuthError as error:
            raise InstallError(f"{uri} refused the user {user!r}") from error
        except (DriverError, Neo4jError, OSError) as error:
            raise UnavailableError(f"no Neo4j answers at {uri} ({type(error).__name__})") from error
    version = server.agent.partition("/")[2]
    if version_of(version) < OLDEST_VERSION:
        raise InstallError(f"{uri} is version {version}; 2026.02 or newer is needed")
    return version
