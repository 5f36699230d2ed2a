"""Test fetching jars from a local HTTP repository."""

import hashlib
import io
import json
import os
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from extraction.embeddings.maven_artifact import Jar
from extraction.verified_files import read_record
from graph_service.graph.local_neo4j.jar_cache import ensure_jars
from schema.errors import InstallError


class Repository(ThreadingHTTPServer):
    """An HTTP server of the responses in `answers`, which records requests."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.answers: dict[str, bytes] = {}
        self.asked: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/maven2"

    def offer(self, name: str, content: bytes) -> Jar:
        """Publish one jar and return its line of the lock."""
        jar = Jar(
            coordinate=f"org.example:{name}:1.0", sha256=hashlib.sha256(content).hexdigest(), size_bytes=len(content)
        )
        self.answers[f"/maven2/{jar.repository_path}"] = content
        return jar


class _Answer(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        assert isinstance(self.server, Repository)
        self.server.asked.append(self.path.rsplit("/", 1)[-1])
        content = self.server.answers.get(self.path)
        self.send_response(404 if content is None else 200)
        self.send_header("Content-Length", str(len(content or b"")))
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, *_: object) -> None:
        """Keep the test run's output clean."""


@pytest.fixture
def repository() -> Iterator[Repository]:
    with Repository() as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_missing_jar_is_downloaded_with_progress(repository: Repository, tmp_path: Path) -> None:
    jars = (repository.offer("tea", b"t" * 300), repository.offer("rice", b"r" * 700))
    seen: list[tuple[int, int]] = []
    paths = ensure_jars(
        tmp_path / "罐 jars", jars=jars, repository_url=repository.url, on_progress=lambda *n: seen.append(n)
    )
    assert [path.read_bytes() for path in paths] == [b"t" * 300, b"r" * 700]
    assert (seen[0], seen[-1]) == ((0, 1000), (1000, 1000))


def test_verified_jar_is_not_requested_again(repository: Repository, tmp_path: Path) -> None:
    jars = (repository.offer("tea", b"tea"),)
    for _ in range(2):
        ensure_jars(tmp_path, jars=jars, repository_url=repository.url)
    assert repository.asked == ["tea-1.0.jar"]


def test_damaged_jar_of_equal_size_is_downloaded_again(repository: Repository, tmp_path: Path) -> None:
    jars = (repository.offer("tea", b"tea"),)
    (path,) = ensure_jars(tmp_path, jars=jars, repository_url=repository.url)
    path.write_bytes(b"tee")
    os.utime(path, ns=(0, 0))
    ensure_jars(tmp_path, jars=jars, repository_url=repository.url)
    assert path.read_bytes() == b"tea"


def test_signed_jar_is_verified_and_its_signature_hidden(repository: Repository, tmp_path: Path) -> None:
    signed = io.BytesIO()
    with zipfile.ZipFile(signed, "w") as writing:
        for name in ("META-INF/MANIFEST.MF", "META-INF/TEA_1.SF", "META-INF/TEA_1.RSA", "notes/META-INF/A.SF"):
            writing.writestr(name, "names META-INF/TEA_1.SF in its text")
    jars = (repository.offer("tea", signed.getvalue()),)
    (path,) = ensure_jars(tmp_path, jars=jars, repository_url=repository.url)
    with zipfile.ZipFile(path) as jar:
        assert jar.namelist() == [
            "META-INF/MANIFEST.MF",
            "META-OFF/TEA_1.SF",
            "META-OFF/TEA_1.RSA",
            "notes/META-INF/A.SF",
        ]
        assert {jar.read(name) for name in jar.namelist()} == {b"names META-INF/TEA_1.SF in its text"}

    # A cache copied from another machine: other times, jars as published or as signed here.
    for content in (signed.getvalue(), path.read_bytes()):
        path.write_bytes(content)
        os.utime(path, ns=(0, 0))
        ensure_jars(tmp_path, jars=jars, repository_url=repository.url)
        assert zipfile.ZipFile(path).namelist()[1] == "META-OFF/TEA_1.SF"
    assert repository.asked == ["tea-1.0.jar"]


def test_download_with_wrong_hash_is_refused_by_name(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("extraction.embeddings.maven_artifact.RETRY_PAUSES_S", (0.0, 0.0, 0.0))
    jar = repository.offer("tea", b"tea")
    repository.answers[f"/maven2/{jar.repository_path}"] = b"bad"
    with pytest.raises(InstallError, match=r"org\.example:tea:1\.0.*sha256"):
        ensure_jars(tmp_path, jars=(jar,), repository_url=repository.url)
    assert list(tmp_path.glob("*.jar")) + list(tmp_path.glob(".*.part")) == []
    assert len(repository.asked) == 4


def test_interrupted_download_resumes(repository: Repository, tmp_path: Path) -> None:
    tea, rice = repository.offer("tea", b"tea"), repository.offer("rice", b"rice")
    withheld = repository.answers.pop(f"/maven2/{rice.repository_path}")
    ensure_jars(tmp_path, jars=(tea,), repository_url=repository.url)
    with pytest.raises(InstallError, match=r"rice.*404"):
        ensure_jars(tmp_path, jars=(tea, rice), repository_url=repository.url)
    repository.answers[f"/maven2/{rice.repository_path}"] = withheld
    ensure_jars(tmp_path, jars=(tea, rice), repository_url=repository.url)
    assert repository.asked.count("tea-1.0.jar") == 1


def test_concurrent_starts_download_each_jar_once(repository: Repository, tmp_path: Path) -> None:
    jars = tuple(repository.offer(f"part{number}", bytes([number]) * 5000) for number in range(12))
    with ThreadPoolExecutor(4) as starters:
        fetches = [starters.submit(ensure_jars, tmp_path, jars=jars, repository_url=repository.url) for _ in range(4)]
        assert all(len(fetch.result()) == 12 for fetch in fetches)
    assert len(repository.asked) == 12


def test_unwritable_cache_is_named(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InstallError, match=r"file/jars.*writable"):
        ensure_jars(tmp_path / "file" / "jars", jars=(repository.offer("tea", b"tea"),), repository_url=repository.url)


def test_unreachable_repository_error_has_a_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extraction.embeddings.maven_artifact.RETRY_PAUSES_S", (0.0, 0.0, 0.0))
    jar = Jar(coordinate="org.example:tea:1.0", sha256="0" * 64, size_bytes=3)
    with pytest.raises(InstallError, match=r"Check the network.*NEO4J_URI"):
        # Port 9 (discard) answers nowhere.
        ensure_jars(tmp_path, jars=(jar,), repository_url="http://127.0.0.1:9/maven2")


def test_planted_jar_is_not_trusted_because_of_other_files(repository: Repository, tmp_path: Path) -> None:
    """A cache from an untrusted repository: right name and size, and a forged record of hashes."""
    jar = repository.offer("tea", b"tea")
    planted = tmp_path / "jars" / jar.file_name
    planted.parent.mkdir()
    planted.write_bytes(b"bad")
    state = planted.stat()
    proof = {jar.sha256: f"{state.st_size} {state.st_mtime_ns}"}
    (tmp_path / "jars/proved.json").write_text(json.dumps(proof))
    (path,) = ensure_jars(tmp_path / "jars", jars=(jar,), repository_url=repository.url)
    assert path.read_bytes() == b"tea"


def test_replaced_jar_is_detected_although_its_mtime_is_equal(repository: Repository, tmp_path: Path) -> None:
    jar = repository.offer("tea", b"tea")
    for _ in range(2):
        (path,) = ensure_jars(tmp_path, jars=(jar,), repository_url=repository.url)
    state = path.stat()
    path.write_bytes(b"bad")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (state.st_size, state.st_mtime_ns)
    ensure_jars(tmp_path, jars=(jar,), repository_url=repository.url)
    assert path.read_bytes() == b"tea"


def test_record_of_hashes_is_outside_the_cache(repository: Repository, tmp_path: Path) -> None:
    jar = repository.offer("tea", b"tea")
    ensure_jars(tmp_path, jars=(jar,), repository_url=repository.url)
    assert list(read_record(tmp_path)) == [jar.file_name]
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", jar.file_name]


def test_jar_that_is_a_symbolic_link_is_downloaded_again(repository: Repository, tmp_path: Path) -> None:
    """Whoever can write the link's target could replace the jar after its verification."""
    jar = repository.offer("tea", b"tea")
    (tmp_path / "elsewhere").write_bytes(b"tea")
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / jar.file_name).symlink_to(tmp_path / "elsewhere")
    (path,) = ensure_jars(tmp_path / "jars", jars=(jar,), repository_url=repository.url)
    assert (path.is_symlink(), path.read_bytes()) == (False, b"tea")


def test_unlocked_jar_in_a_class_path_is_refused(repository: Repository, tmp_path: Path) -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as writing:
        # Long lines of a manifest continue on a line that starts with a space.
        writing.writestr(
            "META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nClass-Path: other.jar pla\r\n nted.jar\r\n\r\n"
        )
    jars = (repository.offer("tea", written.getvalue()),)
    ensure_jars(tmp_path, jars=jars, repository_url=repository.url)
    (tmp_path / "planted.jar").write_bytes(b"code")
    with pytest.raises(InstallError, match=r"planted\.jar.*not in the lock.*remove it"):
        ensure_jars(tmp_path, jars=jars, repository_url=repository.url)
    (tmp_path / "planted.jar").unlink()
    ensure_jars(tmp_path, jars=jars, repository_url=repository.url)


def test_cache_writable_by_others_is_secured_or_refused(repository: Repository, tmp_path: Path) -> None:
    jar = repository.offer("tea", b"tea")
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars").chmod(0o777)
    (path,) = ensure_jars(tmp_path / "jars", jars=(jar,), repository_url=repository.url)
    path.chmod(0o666)
    ensure_jars(tmp_path / "jars", jars=(jar,), repository_url=repository.url)
    assert [(each.stat().st_mode & 0o777) for each in (tmp_path / "jars", path)] == [0o755, 0o644]
    tmp_path.chmod(0o777)
    with pytest.raises(InstallError, match="written by everybody"):
        ensure_jars(tmp_path / "jars", jars=(jar,), repository_url=repository.url)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")
def test_cache_of_another_user_is_refused(repository: Repository, tmp_path: Path) -> None:
    jar = repository.offer("tea", b"tea")
    (path,) = ensure_jars(tmp_path / "jars", jars=(jar,), repository_url=repository.url)
    os.chown(path, 12345, -1)
    ensure_jars(tmp_path / "jars", jars=(jar,), repository_url=repository.url)
    assert path.stat().st_uid == 0, "fetched anew"
    os.chown(path.parent, 12345, -1)
    with pytest.raises(InstallError, match="belongs to another user"):
        ensure_jars(tmp_path / "jars", jars=(jar,), repository_url=repository.url)
