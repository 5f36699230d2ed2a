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
from graph_service.config.sections import MCP_PATH, Aliases, ServiceSettings, ToolSet
from graph_service.config.settings import KNOWN_KEYS
from graph_service.mcp.tool import Effect, input_schema
from graph_service.mcp.tool_registry import CORE, MORE, tools_for
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
    """README.md has a client configuration for stdio; the page has one for stdio and one for HTTP."""
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
        assert set(parse_qs(address.query)) <= {"user", "tools", "aliases"}


def test_python_snippets_compile() -> None:
    assert len([ast.parse(block) for block in blocks("python") if "async with" not in block]) >= 2


def test_page_lists_every_tool_and_its_effects() -> None:
    told = [(row[0].strip("`"), row[2]) for row in rows("Tools")]
    assert told == [(tool.name, tool.effect.value) for tool in (*CORE, *MORE)]
    assert [tool.name for tool in (*CORE, *MORE) if tool.effect is Effect.DELETES] == ["forget"]


def test_page_lists_the_arguments_that_only_the_complete_list_names() -> None:
    """Of tools, and of the messages and facts that `remember` takes."""

    def names(schema: dict[str, Any]) -> set[str]:
        inner = [names(one) for one in schema.values() if isinstance(one, dict)]
        return set(schema.get("properties", {})).union(*inner)

    for tool in CORE:
        rare = names(input_schema(tool.arguments, complete=True)) - names(input_schema(tool.arguments, complete=False))
        told = {row[0].strip("`"): set(re.findall(r"`(\w+)`", row[1])) for row in rows("Arguments of `tools=all`")}
        assert told.get(tool.name, set()) == rare


def test_page_lists_every_tool_of_other_servers() -> None:
    told = {
        row[0].strip("`"): re.findall(r"`(\w+)`", row[1]) for row in rows("Use the tool names of another memory server")
    }
    there = {a.value: [*tools_for(ToolSet.CORE, a)] for a in Aliases if a is not Aliases.NONE}
    assert {name: sorted(tools) for name, tools in told.items()} == {name: sorted(t) for name, t in there.items()}


def test_page_names_existing_codes_and_settings() -> None:
    codes = {kind.code for kind in error_kinds()}
    assert {row[0].strip("`") for row in rows("Errors")} <= codes
    assert [row[0].strip("`") for row in rows("Settings")] == [
        *("url", "api_key"),
        *(key for key in KNOWN_KEYS if key.startswith("mcp.")),
    ]


@pytest.mark.parametrize(
    ("tools", "aliases", "tokens_max"),
    [
        (ToolSet.CORE, Aliases.NONE, 1_500),
        *((ToolSet.CORE, aliases, 700) for aliases in Aliases if aliases is not Aliases.NONE),
        *((ToolSet.ALL, aliases, 3_500) for aliases in Aliases),
    ],
)
def test_tool_list_costs_few_tokens(tools: ToolSet, aliases: Aliases, tokens_max: int) -> None:
    """Counts what a client puts into a prompt, a token for four characters.

    That is a tenth more than cl100k and o200k count in these schemas.
    """
    listed = [
        {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": input_schema(tool.arguments, complete=tools is ToolSet.ALL),
        }
        for tool in tools_for(tools, aliases).values()
    ]
    assert len(json.dumps(listed, ensure_ascii=False, separators=(",", ":"))) / 4 <= tokens_max
    assert tools is ToolSet.ALL or aliases is not Aliases.NONE or len(listed) == 5
