"""Test that the process of Neo4j gets no keys or tokens from the environment."""

from pathlib import Path

import pytest

from graph_service.graph.local_neo4j import server_process


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="reads the environment of a process from /proc")
def test_the_process_of_neo4j_gets_an_allow_list_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-owner")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "of-the-owner")
    monkeypatch.setenv("MNEMOSCENE_NEO4J_PASSWORD", "of-the-owner")
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-javaagent:/tmp/x.jar")
    # A process that has ended has no environment to read, so this one waits.
    waiting = tmp_path / "waiting.py"
    waiting.write_text("import sys; sys.stdin.read()", "utf-8")
    monkeypatch.setattr(server_process, "LAUNCHER_PATH", waiting)
    process = server_process.start_process({"log_dir": "/nonexistent"})
    environ = Path(f"/proc/{process.popen.pid}/environ")
    try:
        # While the program is being loaded, it is empty.
        while not (given := environ.read_bytes().decode()) and process.popen.poll() is None:
            pass
    finally:
        process.popen.kill()
        process.popen.wait()
    assert "PATH=" in given
    assert not [name for name in ("KEY", "PASSWORD", "JAVA", "owner") if name in given]
