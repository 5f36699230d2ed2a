"""Start a Neo4j for tests in a data directory of their own."""

from pathlib import Path
from typing import Final

import platformdirs
import pytest

from graph_service.graph.local_neo4j import launch_settings
from graph_service.graph.local_neo4j.local_server import LocalServer, start_local_server

# Otherwise Neo4j plans a statement again whenever its data has grown, which took a quarter of its processor time.
KEEP_PLANS: Final = ("dbms.cypher.min_replan_interval", "1h")


async def start_test_server(data_dir: Path) -> LocalServer:
    """Start a local Neo4j that keeps the plans of its statements.

    It has only Java's quick compiler: the other one takes more processor time than it saves the tests.
    """
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(launch_settings, "NEO4J_CONF", f"{launch_settings.NEO4J_CONF}{'='.join(KEEP_PLANS)}\n")
        return await start_local_server(
            data_dir=data_dir, cache_dir=Path(platformdirs.user_cache_dir("mnemoscene")), start_timeout_s=240
        )
