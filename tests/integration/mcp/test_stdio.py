"""Test `mnemoscene mcp` on standard input and output, with the commands of docs/mcp.md."""

import asyncio
import signal
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest
from mcp import Client, StdioServerParameters

from tests.conftest import Server
from tests.support.cli_process import COMMAND, Home
from tests.support.mcp_service import Agent

ANSWER_S = 60
DATABASE_AWAY = {"NEO4J_URI": "bolt://127.0.0.1:1", "NEO4J_PASSWORD": "none", "MNEMOSCENE_EMBEDDING_KIND": "none"}


@pytest.fixture
def home(server: Server, tmp_path: Path) -> Home:
    """Return a home with the database of the tests."""
    return Home(tmp_path, server.environ)


def started(home: Home, *options: str) -> StdioServerParameters:
    """Return the parameters with which a client starts the command."""
    return StdioServerParameters(
        command=sys.executable, args=[*COMMAND[1:], "mcp", *options], env=home.environ, cwd=str(home.folder)
    )


def asked(address: str, tenant: str) -> list[tuple[str, str, str]]:
    """Return the questions that viewers of the service see, newest first."""
    query = {"query": "{ questions { door kind text } }"}
    answer = httpx2.post(f"{address}/graphql", json=query, headers={"Mnemoscene-Tenant": tenant}, timeout=ANSWER_S)
    return [(one["door"], one["kind"], one["text"]) for one in answer.json()["data"]["questions"]]


@pytest.mark.slow
async def test_agent_keeps_its_memory_when_the_service_behind_it_stops(home: Home, tenant: str) -> None:
    """First the data directory's service answers and reads with a model; then the process itself, with rules."""
    reader = {"LLM_MODEL": "model-of-the-service", "OPENAI_API_KEY": "none", "OPENAI_BASE_URL": "http://127.0.0.1:9"}
    serving = Home(home.folder, {**home.more, **reader})
    command = started(home, "--user", "王芳", "--tenant", tenant, "--aliases", "memory", "--tools", "all")
    with serving.running("serve", "--port", "0", "--no-browser", "--json") as service:
        address = str(service.document()["viewer"]).split("?")[0].rstrip("/")
        async with Client(command, read_timeout_seconds=ANSWER_S) as client:
            agent = Agent(client)
            assert (await agent.call("status"))["reader"] == "model-of-the-service"
            assert "read_graph" in {tool.name for tool in (await client.list_tools()).tools}
            fact = {"subject": "user", "predicate": "PREFERS", "object": "乌龙茶", "statement": "王芳爱喝乌龙茶。"}
            said = [{"role": "user", "text": "我爱喝乌龙茶。"}]
            done = await agent.call("remember", messages=said, facts=[fact], session_id="茶")
            assert (await agent.failure("forget", kind="fact", id="none"))["code"] == "NOT_FOUND"
            await agent.call("recall", query="她爱喝什么？")
            assert asked(address, tenant) == [("MCP", "RECALL", "她爱喝什么？")]
            service.stop()
            assert (await agent.call("status"))["reader"] == "rules"
            hits = (await agent.call("recall", query="她爱喝乌龙茶吗？"))["hits"]
            assert any("乌龙茶" in hit["text"] for hit in hits)
            layer = await client.read_resource(f"{done['session_uri']}#L2")
            assert "我爱喝乌龙茶。" in layer.contents[0].text


async def test_agent_remembers_and_recalls_while_the_database_is_away(tmp_path: Path) -> None:
    """Without a service, `mcp` keeps messages on disk as a service does; so do commands of the same directory."""
    home = Home(tmp_path, DATABASE_AWAY)
    async with Client(started(home, "--user", "ana"), read_timeout_seconds=ANSWER_S) as client:
        agent = Agent(client)
        said = [{"role": "user", "text": "My locker has the number 4711."}]
        assert (await agent.call("remember", messages=said, session_id="gym"))["spooled"] is True
        answer = await agent.call("recall", query="Which number has the locker?")
        assert "4711" in answer["hits"][0]["text"]
        told = await asyncio.to_thread(home.run, "remember", "我的柜子是蓝色的。", "--user", "ana", "--json")
        assert told.document()["spooled"] is True
        found = await asyncio.to_thread(home.run, "recall", "locker number", "--user", "ana", "--json")
        assert (found.document()["degraded"], "4711" in found.out) == (True, True)
        assert (await asyncio.to_thread(home.run, "stats")).code == 5


def test_signal_ends_the_process_while_its_client_keeps_stdin_open(home: Home) -> None:
    with subprocess.Popen(
        [*COMMAND, "mcp"], env=home.environ, cwd=home.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        assert b'"id":1' in process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 128 + signal.SIGTERM
