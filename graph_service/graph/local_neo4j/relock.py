"""Write `jars.lock`: resolve Neo4j's dependencies with Maven, and record each jar with hash and size.

Run as `python -m graph_service.graph.local_neo4j.relock` when Neo4j's version changes; it takes a few minutes.
"""

import hashlib
import sys
import tempfile
from pathlib import Path
from typing import Final

from jgo.maven import MavenContext, PythonResolver

LOCK_PATH: Final = Path(__file__).with_name("jars.lock")
NEO4J_COORDINATE: Final = "org.neo4j:neo4j:2026.08.1"
RUNTIME_SCOPES: Final = frozenset({"compile", "runtime"})
HEADER: Final = (
    f"# What {NEO4J_COORDINATE} needs at run time: group:artifact:version[:classifier] sha256 bytes\n"
    "# Written by python -m graph_service.graph.local_neo4j.relock\n"
)


def lock_lines(coordinate: str, download_dir: Path) -> list[str]:
    """Return one lock line per runtime jar of `coordinate`, sorted; the jars are downloaded into `download_dir`."""
    context = MavenContext(resolver=PythonResolver(), repo_cache=download_dir, local_repos=[], timeout=60)
    inputs, transitive = context.resolver.resolve([context.create_dependency(coordinate)])
    lines: set[str] = set()
    for dependency in [*inputs, *transitive]:
        if dependency.type != "jar" or (dependency.scope or "compile") not in RUNTIME_SCOPES or dependency.optional:
            continue
        jar = dependency.artifact.resolve().read_bytes()
        parts = [dependency.groupId, dependency.artifactId, dependency.version, dependency.classifier]
        lines.add(f"{':'.join(part for part in parts if part)} {hashlib.sha256(jar).hexdigest()} {len(jar)}")
    return sorted(lines)


def main() -> None:
    """Write the lock file and print the number of jars."""
    with tempfile.TemporaryDirectory(prefix="relock-") as download_dir:
        lines = lock_lines(NEO4J_COORDINATE, Path(download_dir))
    LOCK_PATH.write_text(HEADER + "\n".join(lines) + "\n", encoding="utf-8")
    sys.stdout.write(f"{LOCK_PATH.name}: {len(lines)} jars\n")


if __name__ == "__main__":
    main()
