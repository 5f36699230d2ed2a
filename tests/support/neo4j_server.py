"""Start a Neo4j for tests in a data directory of their own."""

from pathlib import Path
from typing import Any, Final

import platformdirs
import pytest

from graph_service.config.sections import Neo4jSettings
from graph_service.config.settings import Settings
from graph_service.graph.local_neo4j import launch_settings
from graph_service.graph.local_neo4j.local_server import LocalServer, start_server
from graph_service.observability.progress import Watcher

# Otherwise Neo4j plans a statement again whenever its data has grown, which took a quarter of its processor time.
KEEP_PLANS: Final = ("dbms.cypher.min_replan_interval", "1h")


async def start_local_server(
    *,
    data_dir: Path,
    cache_dir: Path,
    on_progress: Watcher = lambda _step: None,
    lasting: bool = False,
    **neo4j: Any,
) -> LocalServer:
    """Start the local Neo4j of a directory.

    Args:
        neo4j: settings of the section `neo4j`.
    """
    settings = Settings(data_dir=data_dir, cache_dir=cache_dir, neo4j=Neo4jSettings(**neo4j))
    return await start_server(settings, on_progress, lasting=lasting)


async def start_test_server(data_dir: Path) -> LocalServer:
    """Start a local Neo4j that keeps the plans of its statements.

    It has only Java's quick compiler: the other one takes more processor time than it saves the tests.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(launch_settings, "NEO4J_CONF", f"{launch_settings.NEO4J_CONF}{'='.join(KEEP_PLANS)}\n")
        return await start_local_server(
            data_dir=data_dir, cache_dir=Path(platformdirs.user_cache_dir("mnemoscene")), start_timeout_s=240
        )
