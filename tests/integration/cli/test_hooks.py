"""Test the hooks of coding agents with the events that Claude Code and Cursor send on standard input."""

import asyncio
import json
import socket
import subprocess
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from graph_service.cli.commands.hook import TRANSCRIPT_BYTES_MAX, Agent, merge_hooks, transcript
from schema.errors import InputError
from tests.conftest import Server
from tests.support.cli_process import COMMAND, Home
from tests.support.open_service import OpenService, open_service
from tests.support.polling import eventually

KEY = "sk-proj-Zk81hfa0Qm22PlsAA71xy"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def service(server: Server, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[OpenService]:
    async with open_service(server, tmp_path_factory.mktemp("hooks")) as running:
        yield running


async def sent(home: Home, agent: str, event: dict[str, Any] | bytes, *options: str) -> Any:
    """Send an event to the hook, and return its answer; it must exit with 0."""
    text = event if isinstance(event, bytes) else json.dumps(event).encode()
    # Long enough for a first question on a busy machine.
    words = [*COMMAND, "hook", agent, "--user", "ana", "--limit", "60", *options]
    done = await asyncio.to_thread(
        subprocess.run, words, input=text, env=home.environ, cwd=home.folder, capture_output=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    if not done.stdout:
        return done.stderr.decode()
    return json.loads(done.stdout)


async def answered(home: Home, agent: str, event: dict[str, Any], word: str) -> Any:
    """Return the hook's answer once it holds a word: on a busy machine the database may be away for a moment."""
    answers = list[Any]()

    async def told() -> bool:
        answers.append(await sent(home, agent, event))
        return word in json.dumps(answers[-1], ensure_ascii=False)

    await eventually(told, within_s=300)
    return answers[-1]


async def messages(service: OpenService, tenant: str, session: str, count: int) -> list[dict[str, Any]]:
    """Return the stored messages of a session once there are so many."""
    found = list[dict[str, Any]]()
    query = 'query ($s: String!) { messages(userId: "ana", sessionId: $s) { nodes { role text tags } } }'

    async def stored() -> bool:
        async with service.client(**{"Mnemoscene-Tenant": tenant}) as client:
            body = {"query": query, "variables": {"s": session}}
            data = (await client.post("/graphql", json=body)).json().get("data") or {}
        found[:] = (data.get("messages") or {}).get("nodes", [])
        return len(found) >= count

    await eventually(stored, within_s=300)
    return found


def entry(number: int, role: str, content: Any, **more: Any) -> dict[str, Any]:
    """Return an entry of a Claude Code transcript."""
    said_at = f"2026-03-01T12:00:{number:02}.000Z"
    return {
        "type": role,
        "uuid": f"u{number}",
        "timestamp": said_at,
        "message": {"role": role, "content": content},
    } | more


TALK = [
    {"type": "summary", "summary": "An older conversation"},
    entry(1, "user", f"We use Postgres 16 for orders, the key is {KEY}."),
    entry(
        2,
        "assistant",
        [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Then orders go to Postgres."}],
    ),
    entry(3, "user", [{"type": "tool_result", "tool_use_id": "t", "content": "SECRET TOOL OUTPUT"}]),
    entry(4, "user", "<command-name>/clear</command-name>"),
    entry(5, "user", "INJECTED REMINDER", isMeta=True),
    entry(6, "assistant", [{"type": "text", "text": "SUBAGENT TALK"}], isSidechain=True),
]


@pytest.mark.parametrize("size", [1, 3 * TRANSCRIPT_BYTES_MAX])
def test_only_what_was_said_at_the_end_of_a_transcript_is_read(tmp_path: Path, size: int) -> None:
    file = tmp_path / "talk.jsonl"
    noise = json.dumps({"type": "progress", "data": "x" * 1000}) + "\n"
    half = '{"type": "user", "mess'
    lines = [json.dumps(one) for one in TALK]
    file.write_text(noise * (size // len(noise)) + "\n".join([*lines, half]), "utf-8")
    said = list(transcript({"transcript_path": str(file)}))
    assert [(one.id, one.role) for one in said] == [("u1", "USER"), ("u2", "ASSISTANT")]
    assert said[1].text == "Then orders go to Postgres."
    assert list(transcript({"transcript_path": str(tmp_path / "missing")})) == []


async def test_claude_code_remembers_a_session_and_knows_it_in_the_next(
    service: OpenService, tenant: str, tmp_path: Path
) -> None:
    home = Home(tmp_path, {"MNEMOSCENE_URL": service.http, "MNEMOSCENE_TENANT": tenant, "LC_ALL": "C.UTF-8"})
    talk = tmp_path / "talk.jsonl"
    talk.write_text("\n".join(map(json.dumps, TALK)), "utf-8")
    event = {"session_id": "s1", "transcript_path": str(talk), "cwd": "/srv/shop", "hook_event_name": "Stop"}
    for name in ("Stop", "PreCompact", "Stop"):
        assert await sent(home, "claude-code", event | {"hook_event_name": name}) == "", name
    stored = await messages(service, tenant, "s1", 2)
    assert [one["text"] for one in stored] == [
        "We use Postgres 16 for orders, the key is [hidden key].",
        "Then orders go to Postgres.",
    ]
    assert {tuple(one["tags"]) for one in stored} == {("shop",)}
    start = {"session_id": "s2", "transcript_path": "/none", "hook_event_name": "SessionStart", "source": "startup"}
    answer = await answered(home, "claude-code", start | {"cwd": "/srv/shop"}, "Postgres")
    assert answer["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}
    assert answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    # What was said in another project is not told, unless it is a fact about the user.
    assert "go to Postgres" in answer["hookSpecificOutput"]["additionalContext"]
    assert "go to Postgres" not in str(await sent(home, "claude-code", start | {"cwd": "/srv/blog"}))
    prompt = {"session_id": "s2", "cwd": "/srv/shop", "hook_event_name": "UserPromptSubmit"}
    asked = prompt | {"prompt": "Which Postgres do we use for orders?"}
    told = (await answered(home, "claude-code", asked, "Postgres 16"))["hookSpecificOutput"]
    assert told["hookEventName"] == "UserPromptSubmit"
    other = Home(tmp_path, {**home.more, "MNEMOSCENE_TENANT": f"{tenant}-other"})
    assert "Postgres" not in str(await sent(other, "claude-code", start | {"cwd": "/srv/shop"}))


async def test_cursor_remembers_prompts_and_answers(service: OpenService, tenant: str, tmp_path: Path) -> None:
    home = Home(tmp_path, {"MNEMOSCENE_URL": service.http, "MNEMOSCENE_TENANT": tenant, "LC_ALL": "zh_CN.UTF-8"})
    event = {"conversation_id": "c1", "generation_id": "g1", "workspace_roots": ["/srv/商店"], "cursor_version": "2.0"}
    prompt = event | {
        "hook_event_name": "beforeSubmitPrompt",
        "prompt": "我们决定用乌龙茶命名下一个版本。",
        "attachments": [],
    }
    reply = event | {"hook_event_name": "afterAgentResponse", "text": "好的，下一个版本叫乌龙茶。"}
    for one in (prompt, reply, prompt):
        assert await sent(home, "cursor", one) == ""
    stored = await messages(service, tenant, "c1", 2)
    assert [(one["role"], one["tags"]) for one in stored] == [("USER", ["商店"]), ("ASSISTANT", ["商店"])]
    start = event | {"conversation_id": "c2", "hook_event_name": "sessionStart", "composer_mode": "agent"}
    assert (await answered(home, "cursor", start, "乌龙茶")).keys() == {"additional_context"}


@pytest.mark.parametrize(
    "event", [b"", b"[", b"[]", b'{"hook_event_name": "SessionStart"}', b'{"hook_event_name": "Unknown"}']
)
async def test_hook_without_a_service_or_with_a_strange_event_fails_silently(tmp_path: Path, event: bytes) -> None:
    said = await sent(Home(tmp_path, {}), "claude-code", event)
    assert said.startswith("mnemoscene: nothing was remembered or recalled")


async def test_hook_gives_up_on_a_service_that_does_not_answer(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        talk = tmp_path / "talk.jsonl"
        talk.write_text(json.dumps(TALK[1]), "utf-8")
        event = {"hook_event_name": "SessionEnd", "session_id": "s", "transcript_path": str(talk), "cwd": "/x"}
        begun_s = time.monotonic()
        said = await sent(Home(tmp_path, {}), "claude-code", event, "--url", url)
        assert said.startswith("mnemoscene: nothing was remembered or recalled: ")
        # Most of it is Python's start on a busy machine.
        assert time.monotonic() - begun_s < 20


def test_install_keeps_the_settings_of_others_and_can_be_repeated_and_undone(tmp_path: Path) -> None:
    home = Home(tmp_path, {"HOME": str(tmp_path)})
    file = tmp_path / "shop/.claude/settings.json"
    file.parent.mkdir(parents=True)
    foreign = {"hooks": [{"type": "command", "command": "other-memory hook claude-code"}]}
    before = {"model": "opus", "hooks": {"Stop": [foreign], "Notification": [foreign]}}
    file.write_text(json.dumps(before))
    file.chmod(0o640)
    words = ("hook", "install", "claude-code", "--project", str(tmp_path / "shop"), "--json")
    assert home.run(*words).document()["changed"]
    told = json.loads(file.read_text())
    assert told["model"] == "opus"
    assert told["hooks"]["Stop"][0] == told["hooks"]["Notification"][0] == foreign
    (ours,) = told["hooks"]["SessionStart"][0]["hooks"]
    assert ours["command"].endswith("hook claude-code")
    assert told["hooks"]["Stop"][1]["hooks"][0]["async"]
    assert file.stat().st_mode & 0o777 == 0o640
    assert not home.run(*words).document()["changed"]
    assert home.run(*words, "--user", "ana").document()["changed"]
    assert len(json.loads(file.read_text())["hooks"]["Stop"]) == 2
    assert home.run(*words, "--remove").document()["changed"]
    assert json.loads(file.read_text()) == before
    assert home.run("hook", "install", "cursor", "--project", str(tmp_path)).code == 0
    cursor = json.loads((tmp_path / ".cursor/hooks.json").read_text())
    assert (cursor["version"], set(cursor["hooks"])) == (
        1,
        {"sessionStart", "beforeSubmitPrompt", "afterAgentResponse"},
    )


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"hooks": {"Stop": 1}}', '{"hooks": {"Stop": ["x"]}}'])
def test_install_leaves_a_file_that_it_does_not_understand(tmp_path: Path, text: str) -> None:
    file = tmp_path / "settings.json"
    file.write_text(text)
    with pytest.raises(InputError, match="is not a settings file"):
        merge_hooks(file, Agent.CLAUDE_CODE, "mnemoscene hook claude-code")
    assert file.read_text() == text
