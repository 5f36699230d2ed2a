"""Test conversation files: every format, and errors with their places."""

import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graph_service.cli.commands import transfer as importing
from graph_service.demo.scenario import PEOPLE, QUESTIONS, demo_conversations
from graph_service.importers import file_checks
from graph_service.importers.import_batch import MESSAGES_A_CALL
from graph_service.importers.reader import read_file
from graph_service.importers.source import FileFormat, Owner
from graph_service.memory.ingest.validation import RememberRequest
from schema.errors import InputError

NOBODY = Owner()


def read(text: str, form: FileFormat = FileFormat.AUTO, owner: Owner = NOBODY) -> list[RememberRequest]:
    return read_file(text, name="file.json", form=form, owner=owner).calls


def test_lines_of_one_session_become_one_call() -> None:
    lines = [
        {"user_id": "ana", "session_id": "s", "text": "我住在里斯本。", "time": "2026-01-31T10:00:00Z"},
        {"user_id": "bo", "session_id": "s", "text": "Hello."},
        {"user_id": "ana", "session_id": "s", "role": "assistant", "text": "Since when?"},
    ]
    ana, bo = read("\n".join(json.dumps(line, ensure_ascii=False) for line in lines))
    assert [(message.role, message.text) for message in ana.messages] == [
        ("user", "我住在里斯本。"),
        ("assistant", "Since when?"),
    ]
    assert ana.messages[0].time == datetime(2026, 1, 31, 10, tzinfo=UTC)
    assert (bo.user_id, len(bo.messages)) == ("bo", 1)


def test_invalid_lines_are_reported_by_number() -> None:
    text = '{"user_id": "a", "text": "fine"}\n{"user_id": "a"}\n\nnot json\n{"text": "x", "tyme": 1}'
    with pytest.raises(InputError) as caught:
        read(text, FileFormat.JSONL)
    places, problems = zip(*(problem.split(": ", 1) for problem in sorted(caught.value.problems)), strict=True)
    assert places == ("file.json line 2", "file.json line 4", "file.json line 5")
    assert "tyme" in problems[2]


def test_invalid_document_is_reported_with_its_line() -> None:
    with pytest.raises(InputError, match=r"file\.json line 2: not JSON"):
        read('{"conversations": [\n oops]}')


def test_facts_are_sent_with_the_first_call_of_a_conversation() -> None:
    fact = {"subject": "@user", "predicate": "PREFERS", "object": "tea", "statement": "Ana prefers tea."}
    messages = [{"text": f"message {number}"} for number in range(MESSAGES_A_CALL + 1)]
    row = {"user_id": "ana", "session_id": "s", "messages": messages, "facts": [fact], "summary": "tea"}
    first, second = read(json.dumps({"conversations": [row]}))
    assert (len(first.messages), first.facts[0].object, first.summary) == (MESSAGES_A_CALL, "tea", "tea")
    assert (len(second.messages), second.facts, second.summary) == (1, (), None)


def test_first_speaker_of_a_benchmark_file_is_the_user() -> None:
    turns = [{"id": "1", "speaker": "王峰", "text": "你好"}, {"id": "2", "speaker": "AI", "text": "你好，王峰"}]
    sessions = [{"index": 3, "date": "2023-04-27T20:00:00", "turns": turns}, {"index": 4, "date": None, "turns": []}]
    (call,) = read(json.dumps({"id": "mb", "speakers": ["王峰", "AI"], "sessions": sessions}))
    assert (call.user_id, call.user_name, call.agent_id, call.session_id) == ("王峰", "王峰", "AI", "mb-3")
    assert [message.role for message in call.messages] == ["user", "assistant"]


def test_session_without_a_user_asks_for_the_user_option() -> None:
    with pytest.raises(InputError, match="--user"):
        read('[{"session_id": "s", "messages": [{"text": "hi"}]}]')
    (call,) = read('[{"session_id": "s", "messages": [{"text": "hi"}]}]', owner=Owner(user_id="ana"))
    assert call.user_id == "ana"


def test_file_without_messages_is_refused() -> None:
    with pytest.raises(InputError, match="contains no message"):
        read('{"id": "x", "sessions": []}')


def test_demo_has_some_hundred_messages_in_two_languages() -> None:
    calls = demo_conversations()
    assert sum(len(call.messages) for call in calls) == 362
    assert {call.user_id for call in calls} == {person.user_id for person in PEOPLE}
    assert {question.user_id for question in QUESTIONS} <= {person.user_id for person in PEOPLE}
    assert any(not question.text.isascii() for question in QUESTIONS)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"text": ' + "[" * 100_000, "9" * 5_000, '{"text": ' + "9" * 5_000 + "}"]
)
@pytest.mark.parametrize("form", [FileFormat.AUTO, FileFormat.JSONL, FileFormat.MNEMOSCENE, FileFormat.BENCHMARK])
def test_unreadable_json_is_refused_with_a_message(text: str, form: FileFormat) -> None:
    """Deep nesting raises RecursionError and thousands of digits ValueError, neither of which has a position."""
    with pytest.raises(InputError, match=r"file\.json"):
        read(text, form)


def test_file_or_archive_over_the_size_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive of a few megabytes may contain gigabytes; its declared sizes are checked before it is unpacked."""
    monkeypatch.setattr(file_checks, "FILE_BYTES_MAX", 1_000)
    with zipfile.ZipFile(tmp_path / "export.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", "[" + " " * 1_000_000 + "]")
    (tmp_path / "long.json").write_text(" " * 1_001, "utf-8")
    for name in ("export.zip", "long.json"):
        with pytest.raises(InputError, match=r"more than the 1,000 allowed"):
            list(importing._texts(tmp_path / name))
    (tmp_path / "short.json").write_text("[]", "utf-8")
    name = str(tmp_path / "short.json")
    assert list(importing._texts(Path(name))) == [(name, "[]", {})]


def test_archive_with_a_damaged_directory_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "export.zip"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("conversations.json", "[]")
    written = bytearray(file.read_bytes())
    end = written.rfind(b"PK\x05\x06")
    written[end + 12 : end + 20] = b"\xff" * 8
    file.write_bytes(written)
    assert zipfile.is_zipfile(file)
    with pytest.raises(InputError, match="damaged archive"):
        list(importing._texts(file))


def test_file_of_an_archive_keeps_its_own_name(tmp_path: Path) -> None:
    """A Slack export of a single day is of the same channel as one of many."""
    for archived, name in (
        ("general/2026-05-18.json", "s.zip/general/2026-05-18.json"),
        ("_chat.txt", "WhatsApp Chat - Ana.zip"),
    ):
        file = tmp_path / name.split("/")[0]
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(archived, "[]")
        assert list(importing._texts(file)) == [(str(tmp_path / name), "[]", {})]
