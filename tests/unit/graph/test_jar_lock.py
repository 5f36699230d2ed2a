"""Test the jar lock: its format, and the path of each jar in a repository."""

from pathlib import Path

import pytest

from extraction.embeddings.maven_artifact import Jar
from graph_service.graph.local_neo4j.jar_cache import LOCK_PATH, read_lock
from graph_service.graph.local_neo4j.relock import NEO4J_COORDINATE
from schema.errors import InstallError


def test_lock_names_each_jar_once_with_hash_and_size() -> None:
    jars = read_lock()
    assert NEO4J_COORDINATE in {jar.coordinate for jar in jars}
    assert len(jars) == len({jar.file_name for jar in jars})
    assert all(len(jar.sha256) == 64 and int(jar.sha256, 16) for jar in jars)
    # An empty jar (sources only, a marker artifact) is still a zip file of 22 bytes or more.
    assert all(jar.size_bytes >= 22 for jar in jars)


def test_lock_names_no_host() -> None:
    assert "//" not in LOCK_PATH.read_text(encoding="utf-8")


def test_all_neo4j_jars_have_one_version() -> None:
    version = NEO4J_COORDINATE.rsplit(":", 1)[1]
    parts = [jar.coordinate for jar in read_lock() if jar.coordinate.startswith("org.neo4j:neo4j")]
    assert [part for part in parts if not part.endswith(f":{version}")] == []


@pytest.mark.parametrize(
    ("coordinate", "path"),
    [
        ("org.neo4j:neo4j:2026.08.1", "org/neo4j/neo4j/2026.08.1/neo4j-2026.08.1.jar"),
        ("io.netty:epoll:4.2:linux-x86_64", "io/netty/epoll/4.2/epoll-4.2-linux-x86_64.jar"),
    ],
)
def test_repository_path_follows_maven(coordinate: str, path: str) -> None:
    assert path == Jar(coordinate=coordinate, sha256="0" * 64, size_bytes=1).repository_path


@pytest.mark.parametrize("line", ["org.neo4j:neo4j abc 12", "a:b:c hash", "a:b:c hash many"])
def test_malformed_lock_line_is_reported_with_its_number(tmp_path: Path, line: str) -> None:
    lock_path = tmp_path / "jars.lock"
    lock_path.write_text(f"# header\n{line}\n", encoding="utf-8")
    with pytest.raises(InstallError, match=r"line 2: .*reinstall|line 2: .*Reinstall"):
        read_lock(lock_path)
