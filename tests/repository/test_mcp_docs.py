"""Test README.md and docs/mcp.md about MCP: snippets, tools, aliases, errors, settings."""

import ast
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from typer.main import get_command

from graph_service.cli.main import app
from graph_service.config.sections import MCP_PATH, Aliases, ServiceSettings
from graph_service.config.settings import KNOWN_KEYS
from graph_service.mcp.tool import Effect
from graph_service.mcp.tool_registry import CORE, tools_for
from schema.error_codes import error_kinds

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/mcp.md").read_text("utf-8")
BOTH = (ROOT / "README.md").read_text("utf-8") + PAGE


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", BOTH, re.MULTILINE | re.DOTALL)


def rows(heading: str) -> list[list[str]]:
    """Return the rows of the table below a heading, without its header."""
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def servers() -> list[dict[str, Any]]:
    found = [json.loads(block) for block in blocks("json")]
    return [server for one in found for server in (one.get("mcpServers") or one["servers"]).values()]


def test_snippets_name_existing_commands_and_routes() -> None:
    """README.md and the page each have a client configuration for stdio and for HTTP."""
    started = [server for server in servers() if "command" in server]
    assert len(started) == 2
    for server in started:
        assert Path(server["command"]).name == "mnemoscene"
        name, *options = server["args"]
        get_command(app).get_command(None, name).make_context(name, options)  # type: ignore[attr-defined]
    addresses = [server["url"] for server in servers() if "url" in server] + re.findall(
        r'"(http://[^"]+/mcp[^"]*)"', BOTH
    )
    assert len(addresses) >= 6
    for address in map(urlsplit, addresses):
        assert (address.port, address.path) == (ServiceSettings().port, MCP_PATH)
        assert set(parse_qs(address.query)) <= {"user", "aliases"}


def test_python_snippets_compile() -> None:
    assert len([ast.parse(block) for block in blocks("python") if "async with" not in block]) >= 2


def test_page_lists_every_tool_and_its_effects() -> None:
    told = {row[0].strip("`"): row[2] for row in rows("Tools")}
    assert told == {tool.name: tool.effect.value for tool in CORE}
    assert [tool.name for tool in CORE if tool.effect is Effect.DELETES] == ["forget"]


def test_page_lists_every_tool_of_other_servers() -> None:
    told = {
        row[0].strip("`"): re.findall(r"`(\w+)`", row[1]) for row in rows("Use the tool names of another memory server")
    }
    ours = set(CORE)
    there = {
        a.value: [t.name for t in tools_for(a).values() if t not in ours] for a in Aliases if a is not Aliases.NONE
    }
    assert {name: sorted(tools) for name, tools in told.items()} == {name: sorted(t) for name, t in there.items()}


def test_page_names_existing_codes_and_settings() -> None:
    codes = {kind.code for kind in error_kinds()}
    assert {row[0].strip("`") for row in rows("Errors")} <= codes
    assert [row[0].strip("`") for row in rows("Settings")] == [
        *("url", "api_key"),
        *(key for key in KNOWN_KEYS if key.startswith("mcp.")),
    ]


@pytest.mark.parametrize("aliases", list(Aliases))
def test_tool_list_costs_few_tokens(aliases: Aliases) -> None:
    """Counts what a client puts into a prompt: names, descriptions, arguments."""
    from extraction.text.token_estimate import tokens_in
    from graph_service.mcp.tool_schemas import input_schema

    listed = [
        {"name": tool.name, "description": tool.description, "input_schema": input_schema(tool.arguments)}
        for tool in tools_for(aliases).values()
    ]
    tokens = tokens_in(json.dumps(listed, ensure_ascii=False))
    assert tokens <= {Aliases.NONE: 5_000}.get(aliases, 7_000), tokens
