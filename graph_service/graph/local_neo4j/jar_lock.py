"""Read `jars.lock`, the list of required jars."""

from pathlib import Path
from typing import Final

from extraction.embeddings.maven_artifact import Jar
from schema.errors import InstallError

LOCK_PATH: Final = Path(__file__).with_name("jars.lock")


def read_lock(lock_path: Path = LOCK_PATH) -> tuple[Jar, ...]:
    """Return the jars of a lock file in its order.

    Raises:
        InstallError: a line is malformed.
    """
    jars: list[Jar] = []
    for number, line in enumerate(lock_path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        fields = line.split()
        if len(fields) != 3 or len(fields[0].split(":")) not in (3, 4) or not fields[2].isdigit():
            raise InstallError(
                f"{lock_path.name} line {number}: {line!r} is not 'group:artifact:version[:classifier] sha256 bytes'."
                " Reinstall the package, or write the lock again with python -m graph_service.graph.local_neo4j.relock."
            )
        jars.append(Jar(coordinate=fields[0], sha256=fields[1], size_bytes=int(fields[2])))
    return tuple(jars)
