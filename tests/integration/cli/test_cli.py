"""Test the command line beside a running service; `test_local_database.py` has the tests that start a database."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from tests.conftest import Server
from tests.support.cli_process import Home, Running
from tests.support.polling import until

README = Path(__file__).parents[3] / "README.md"
PROGRAM = ".venv/bin/mnemoscene "
TENANT = f"cli-{uuid4().hex[:8]}"


@pytest.fixture(scope="module")
def home(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Home:
    return Home(tmp_path_factory.mktemp("cli"), {**server.environ, "MNEMOSCENE_TENANT": TENANT})


@pytest.fixture(scope="module")
def service(home: Home) -> Iterator[Running]:
    """Run `serve` on the Neo4j of the tests, which the commands use too."""
    with home.running("serve", "--port", "0", "--no-browser", "--json") as running:
        yield running


@pytest.fixture(scope="module")
def address(service: Running) -> str:
    """Return the base URL of the service once it is ready, which takes long on a busy machine."""
    where = service.document()
    assert where["tenant"] == TENANT
    base = str(where["viewer"]).split("?")[0].rstrip("/")
    until(lambda: httpx.get(f"{base}/ready", timeout=30).status_code == 200)
    return base


def test_version_needs_no_database(home: Home) -> None:
    done = home.run("--version")
    assert (done.code, done.out.split()[0]) == (0, "mnemoscene")


def test_invalid_setting_exits_with_one_message_and_its_code(home: Home) -> None:
    done = Home(home.folder, {"MNEMOSCENE_SERVICE_PROT": "1", "MNEMOSCENE_NEO4J_HEAP_MB": "many"}).run("serve")
    assert done.code == 7
    assert "did you mean MNEMOSCENE_SERVICE_PORT" in done.err
    assert "MNEMOSCENE_NEO4J_HEAP_MB: 'many'" in done.err
    assert "Traceback" not in done.err


def test_a_refused_login_ends_the_service_with_one_message(home: Home) -> None:
    done = Home(home.folder, {**home.more, "NEO4J_USER": "nobody"}).run_process("serve", "--port", "0", "--no-browser")
    assert (done.code, "refused the user 'nobody'" in done.err, "bug" in done.err) == (7, True, False)


def test_an_unknown_option_is_refused_with_a_hint(home: Home) -> None:
    done = home.run("recall", "where?", "--usr", "ana")
    assert done.code == 2
    assert "Traceback" not in done.err


def test_running_service_reports_ready(address: str) -> None:
    state = httpx.get(f"{address}/ready", timeout=30).json()
    assert (state["ready"], state["neo4j"], state["worker"]) == (True, "up", "running")
    assert (state["embedder"], state["model"], state["database"]) == ("none", "rules", "given")
    assert httpx.get(f"{address}/health", timeout=30).json()["status"] == "up"


def test_remembered_message_is_recalled_with_its_evidence(home: Home, address: str) -> None:
    told = home.run("remember", "I moved to Lisbon and I love the trams.", "--user", "ana", "--name", "Ana", "--json")
    assert (told.document()["stored"], told.document()["extracted"]) == (1, True)

    def evidence() -> list[str]:
        done = home.run("recall", "Where does Ana live?", "--user", "ana", "--kind", "fact", "--json")
        if "try again" in done.err:
            return []
        hits = done.document()["hits"]
        assert all("Lisbon" in hit["text"] for hit in hits[:1])
        return [message["text"] for hit in hits for message in hit["evidence"]]

    # A new Neo4j plans its statements first; until then a busy machine answers without facts, or asks to try again.
    until(lambda: any(text.startswith("I moved to Lisbon") for text in evidence()))


def test_questions_of_commands_are_shown_by_the_running_service(home: Home, address: str) -> None:
    assert home.run("remember", "I play the oboe.", "--user", "oda").code == 0
    hits = home.run("recall", "Which instrument, oboe?", "--user", "oda", "--json").document()["hits"]
    assert hits
    # A new Neo4j plans the statements of a context first, which a busy machine may stop as too slow.
    until(lambda: home.run("context", "Shall we make music?", "--user", "oda").code == 0)
    query = '{ questions(userId: "oda") { door kind text found hits { id text } } }'
    headers = {"Mnemoscene-Tenant": TENANT}
    answer = httpx.post(f"{address}/graphql", json={"query": query}, headers=headers, timeout=30).json()
    context, recall = answer["data"]["questions"]
    assert (context["door"], context["kind"], context["text"]) == ("COMMAND", "CONTEXT", "Shall we make music?")
    assert (recall["door"], recall["kind"], recall["text"]) == ("COMMAND", "RECALL", "Which instrument, oboe?")
    assert [one["id"] for one in recall["hits"]] == [hit["id"] for hit in hits]
    assert any("oboe" in one["text"] for one in recall["hits"])


def test_chinese_message_is_recalled_with_its_evidence(home: Home, address: str) -> None:
    words = ("remember", "我对花生过敏。", "--user", "wang", "--session", "诊所", "--time", "2026-03-01")
    assert home.run(*words).code == 0
    answer = home.run("recall", "花生过敏", "--user", "wang", "--json").document()
    assert "花生" in answer["hits"][0]["text"]
    assert answer["hits"][0]["said_at"].startswith("2026-03-01")


def test_remembering_the_same_message_twice_changes_nothing(home: Home, address: str) -> None:
    words = ("remember", "Tea at four.", "--user", "bo", "--time", "2026-01-31T16:00Z", "--no-wait", "--json")
    assert [home.run(*words).document()["repeated"] for _ in range(2)] == [0, 1]


def test_common_options_work_before_and_after_the_command(home: Home, address: str) -> None:
    home.run(
        "--tenant", f"{TENANT}-other", "remember", "The code is blue.", "--user", "ana", "--no-wait", "--json"
    ).document()
    after = home.run("recall", "code blue", "--user", "ana", "--tenant", f"{TENANT}-other", "--json").document()
    elsewhere = home.run("--json", "recall", "code blue", "--user", "ana").document()
    assert "The code is blue." in [hit["text"] for hit in after["hits"]]
    assert all("blue" not in hit["text"] for hit in elsewhere["hits"])


def test_invalid_rows_are_reported_by_number_and_nothing_is_stored(home: Home, address: str, tmp_path: Path) -> None:
    rows = ['{"user_id": "eve", "text": "stored?"}', '{"user_id": "eve", "role": "king", "text": "no"}', "oops"]
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(rows), encoding="utf-8")
    done = home.run("import", str(file))
    assert (done.code, "line 3" in done.err, "Traceback" in done.err) == (2, True, False)
    file.write_text("\n".join(rows[:2]), encoding="utf-8")
    done = home.run("import", str(file))
    assert (done.code, "king" in done.err) == (2, True)
    assert home.run("recall", "stored?", "--user", "eve", "--json").document()["hits"] == []


def test_a_file_of_conversations_is_imported_once(home: Home, address: str, tmp_path: Path) -> None:
    turns = [{"id": "1", "speaker": "Kim", "text": "My sister Mia plays the cello."}]
    sessions = [{"index": 1, "date": "2026-02-01T10:00:00", "turns": turns}]
    file = tmp_path / "kim.json"
    file.write_text(json.dumps({"id": "kim", "speakers": ["Kim", "AI"], "sessions": sessions}), encoding="utf-8")
    first, again = (home.run("import", str(file), "--json").document() for _ in range(2))
    assert (first["stored"], again["stored"], again["repeated"]) == (1, 0, 1)
    assert "cello" in home.run("recall", "cello", "--user", "Kim").out
    (session,) = home.run("sessions", "list", "--user", "Kim", "--json").document()["sessions"]
    assert (session["session_id"], session["state"], session["close_reason"]) == ("kim-1", "closed", "import")


@pytest.mark.slow
def test_session_is_closed_and_summarised_on_the_command_line(home: Home, address: str) -> None:
    texts = ["I moved to Lisbon in May.", "我五月搬到了里斯本。"]
    for text in texts:
        assert home.run("remember", text, "--user", "lia", "--session", "talk").code == 0
    closed = home.run("sessions", "close", "talk", "--user", "lia", "--json").document()
    assert (closed["state"], closed["messages"], closed["unread"]) == ("closed", 2, 0)
    assert all(text in home.run("layers", "show", f"{closed['uri']}#L2").out for text in texts)
    assert home.run("layers", "show", closed["uri"], "--json").document()["level"] == "L1"
    told = home.run("layers", "generate", "--user", "lia", "--json").document()
    assert (told["sessions"], told["unchanged"], told["failed"]) == (1, 1, 0)
    assert home.run("--tenant", f"{TENANT}-other", "layers", "show", closed["uri"]).code == 3
    assert home.run("--tenant", f"{TENANT}-other", "sessions", "list", "--user", "lia", "--json").document() == {
        "sessions": []
    }


def test_every_command_of_the_readme_runs(home: Home, address: str) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", README.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith(PROGRAM)]
    assert len(lines) >= 5
    for line in lines:
        command = shlex.split(line.removeprefix(PROGRAM))
        done = home.run(*command)
        # The doctor exits with 7 if the viewer is not built.
        assert done.code in ((0, 7) if command[0] == "doctor" else (0,)), (command, done.err)
        assert done.out


def test_explicit_port_in_use_is_refused(home: Home, address: str) -> None:
    done = home.run_process("serve", "--port", address.rpartition(":")[2])
    assert (done.code, "choose another --port" in done.err) == (4, True)


def test_foreign_host_names_are_refused_by_the_service(address: str) -> None:
    assert httpx.get(f"{address}/ready", headers={"host": "evil.example"}, timeout=30).status_code == 421
