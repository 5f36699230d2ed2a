"""Test commands that ask a service over HTTP, with stand-ins for services that refuse, differ or do not answer."""

import contextlib
import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, get_args

import pytest
from graphql import parse, validate

from graph_service.api.graphql.schema import graphql_schema
from graph_service.cli.commands.memory import KINDS, MODES, Language
from graph_service.cli.service_client import DOCUMENTS
from graph_service.memory.context_builder.phrasing import Language as ContextLanguage
from graph_service.memory.recall.query import HitKind, Mode
from tests.support.cli_process import Done, Home

RECALL = ("recall", "where?", "--user", "ana")


@contextlib.contextmanager
def a_service(status: int, body: str, *, version: str = "9.9") -> Iterator[tuple[str, list[Any]]]:
    """Serve one response to all documents; yield the address and the received headers."""
    received: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer(200, json.dumps({"version": version}))

        def do_POST(self) -> None:
            received.append(self.headers)
            self.rfile.read(int(self.headers["Content-Length"]))
            self.answer(status, body)

        def answer(self, status: int, body: str) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_args: object) -> None:
            """Print nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", received
    finally:
        server.shutdown()
        server.server_close()


def refusal(code: str, message: str, **more: Any) -> str:
    """Return the body of a response with one error of a field."""
    extensions = {"code": code, **more}
    return json.dumps({"data": None, "errors": [{"message": message, "path": ["recall"], "extensions": extensions}]})


def asked(folder: Path, address: str, *words: str, **environ: str) -> Done:
    """Run a command that asks the service at an address; check that it opened nothing of its own."""
    done = Home(folder, {"MNEMOSCENE_URL": address, **environ}).run(*words)
    assert not (folder / "data").exists()
    assert "Traceback" not in done.err
    return done


def test_address_without_a_service_is_unavailable_and_opens_no_database(tmp_path: Path) -> None:
    done = asked(tmp_path, "http://127.0.0.1:1", *RECALL)
    assert (done.code, "http://127.0.0.1:1" in done.err, "MNEMOSCENE_URL" in done.err) == (5, True, True)
    assert asked(tmp_path, "http://127.0.0.1:1", "remember", "Tea.", "--user", "ana").code == 5


def test_option_url_takes_precedence_over_the_environment(tmp_path: Path) -> None:
    done = asked(tmp_path, "http://127.0.0.1:1", *RECALL, "--url", "https://127.0.0.1:2/")
    assert (done.code, "https://127.0.0.1:2" in done.err) == (5, True)


@pytest.mark.parametrize(("status", "body"), [(404, "<p>no</p>"), (200, "[]"), (302, "")])
def test_another_program_at_the_address_is_named_as_such(tmp_path: Path, status: int, body: str) -> None:
    with a_service(status, body) as (address, _):
        done = asked(tmp_path, address, *RECALL)
    assert (done.code, "no Mnemoscene service" in done.err) == (5, True)


@pytest.mark.parametrize(
    ("body", "code", "words"),
    [
        (json.dumps({"error": {"code": "UNAUTHORIZED", "message": "a credential is required"}}), 8, "MNEMOSCENE_API_K"),
        (refusal("FORBIDDEN", "not this tenant"), 9, "not this tenant"),
        (refusal("BAD_INPUT", "limit is 0", problems=["limit is 0"]), 2, "limit is 0"),
        (refusal("RATE_LIMITED", "too many", retryAfterS=3), 10, "too many"),
        (refusal("UNAVAILABLE", "Neo4j is away"), 5, "Neo4j is away"),
        (refusal("FROM_THE_FUTURE", "what is it?"), 1, "what is it?"),
    ],
)
def test_refusal_of_a_service_ends_the_command_with_the_exit_code_of_its_error(
    tmp_path: Path, body: str, code: int, words: str
) -> None:
    with a_service(200, body) as (address, _):
        done = asked(tmp_path, address, *RECALL)
    assert (done.code, words in done.err) == (code, True)


def test_document_that_a_service_of_another_version_does_not_know_names_both_versions(tmp_path: Path) -> None:
    body = json.dumps({"errors": [{"message": "Cannot query field 'x'", "locations": [], "extensions": {}}]})
    with a_service(200, body) as (address, _):
        done = asked(tmp_path, address, *RECALL)
    assert (done.code, "version 9.9" in done.err) == (4, True)


def test_tenant_key_and_program_are_sent_as_headers(tmp_path: Path) -> None:
    empty: dict[str, Any] = {"hits": [], "notes": []}
    with a_service(200, json.dumps({"data": {"recall": empty}})) as (address, received):
        done = asked(tmp_path, address, *RECALL, "--tenant", "朋友", MNEMOSCENE_API_KEY="mnk-1")
    assert done.code == 0, done.err
    (headers,) = received
    assert headers["Mnemoscene-Tenant"] == "%E6%9C%8B%E5%8F%8B"
    assert headers["Authorization"] == "Bearer mnk-1"
    assert headers["User-Agent"].startswith("mnemoscene-command/")


@pytest.mark.parametrize("words", [("export",), ("cypher", "RETURN 1"), ("keys",), ("quarantine", "show")])
def test_command_on_the_database_itself_refuses_the_url_of_another_machine(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    done = asked(tmp_path, "http://memory.example:7780", *words)
    assert (done.code, "memory.example" in done.err) == (2, True)


def test_invalid_choices_and_times_are_refused_before_anything_is_asked(tmp_path: Path) -> None:
    for option, word in (("--kind", "dream"), ("--role", "king"), ("--mode", "worst"), ("--from", "someday")):
        done = asked(tmp_path, "http://127.0.0.1:1", *RECALL, option, word)
        assert (done.code, f"{option} is '{word}'" in done.err) == (2, True)


def test_choices_of_recall_and_context_are_those_of_the_schema() -> None:
    assert (tuple(HitKind), tuple(Mode), tuple(ContextLanguage)) == (KINDS, MODES, get_args(Language))


def test_documents_of_all_commands_are_valid_in_the_schema() -> None:
    asked = {name: text for name, text in DOCUMENTS.items() if name[0].islower()}
    assert len(asked) > 15
    problems = [problem for text in asked.values() for problem in validate(graphql_schema._schema, parse(text))]
    assert problems == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_command_that_waits_for_an_answer(number: signal.Signals, tmp_path: Path) -> None:
    with silent_service() as (address, listener):
        command = [sys.executable, "-m", "graph_service", *RECALL, "--url", address]
        with subprocess.Popen(command, env=Home(tmp_path, {}).environ, cwd=tmp_path, stderr=subprocess.PIPE) as running:
            connection, _ = listener.accept()
            running.send_signal(number)
            _, told = running.communicate(timeout=300)
            connection.close()
    assert (running.returncode, told) == (128 + number, b"")


def test_a_hook_gives_up_a_service_that_does_not_answer(tmp_path: Path) -> None:
    event = json.dumps({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": "Where do I live?"})
    with silent_service() as (address, _):
        words = ["hook", "claude-code", "--user", "ana", "--limit", "2", "--url", address]
        command = [sys.executable, "-m", "graph_service", *words]
        done = subprocess.run(
            command,
            input=event.encode(),
            env=Home(tmp_path, {}).environ,
            cwd=tmp_path,
            capture_output=True,
            timeout=300,
        )
    assert (done.returncode, done.stdout) == (0, b"")
    assert done.stderr.startswith(b"mnemoscene: nothing was remembered or recalled: ")


@contextlib.contextmanager
def silent_service() -> Iterator[tuple[str, socket.socket]]:
    """Accept connections, and answer nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", listener
