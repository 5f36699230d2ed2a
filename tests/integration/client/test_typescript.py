"""Test the TypeScript client: its types and documents against the schema, and its tests against a running service."""

import asyncio
import gzip
import json
import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from graphql import (
    FieldNode,
    GraphQLNonNull,
    GraphQLObjectType,
    OperationDefinitionNode,
    SelectionSetNode,
    build_schema,
    parse,
    validate,
)

from tests.conftest import Server
from tests.support.open_service import open_service

ROOT = Path(__file__).parents[3]
CLIENT = ROOT / "clients/typescript"
SCHEMA = build_schema((ROOT / "schema/schema.graphql").read_text("utf-8"))
BYTES_MAX = 15_000

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or shutil.which("npm") is None, reason="Node and npm are not installed"
)


def run(*command: str, timeout_s: float = 240.0, **environ: str) -> str:
    """Return the output of a command in the client's folder."""
    found = {name: value for name, value in os.environ.items() if not name.startswith("MNEMOSCENE_")}
    done = subprocess.run(
        command, cwd=CLIENT, env=found | environ, capture_output=True, text=True, timeout=timeout_s, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-8_000:]
    return done.stdout


@pytest.fixture(scope="module")
def built() -> Path:
    """Install the locked packages, unless they are, and compile the client; return the folder with the result."""
    if not (CLIENT / "node_modules/ai").is_dir():
        run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
    run("npm", "run", "build")
    return CLIENT / "dist"


@pytest.fixture(scope="module")
def documents(built: Path) -> dict[str, Any]:
    program = "import('./dist/documents.js').then((all) => console.log(JSON.stringify(all)))"
    found: dict[str, Any] = json.loads(run("node", "-e", program))
    return found


def test_documents_are_valid(documents: dict[str, Any]) -> None:
    assert len(documents["DOCUMENTS"]) > 10
    for name, document in documents["DOCUMENTS"].items():
        assert (name, validate(SCHEMA, parse(document))) == (name, [])


def test_types_of_answers_are_those_of_the_schema(documents: dict[str, Any]) -> None:
    interfaces = interface_fields((CLIENT / "src/types.ts").read_text("utf-8"))
    for name, fields in documents["FIELDS"].items():
        (operation,) = parse(f"{{ {fields} }}").definitions
        assert isinstance(operation, OperationDefinitionNode)
        compare(SCHEMA.type_map[name], operation.selection_set, interfaces)


def interface_fields(source: str) -> dict[str, dict[str, str]]:
    """Return the types of the fields of each interface."""
    bodies = re.findall(r"^export interface (\w+) \{\n(.*?)^\}", source, re.MULTILINE | re.DOTALL)
    return {name: dict(re.findall(r"^  (\w+): (.+);$", body, re.MULTILINE)) for name, body in bodies}


def compare(told: Any, selection: SelectionSetNode, interfaces: Mapping[str, Mapping[str, str]]) -> None:
    """Check that an interface has the selected fields, and null and lists where the schema has them."""
    assert isinstance(told, GraphQLObjectType)
    fields = interfaces[told.name]
    nodes = [node for node in selection.selections if isinstance(node, FieldNode)]
    assert {node.name.value for node in nodes} == set(fields), told.name
    for node in nodes:
        kind, typed = told.fields[node.name.value].type, fields[node.name.value]
        assert isinstance(kind, GraphQLNonNull) != typed.endswith("| null"), f"{told.name}.{node.name.value}"
        assert ("[" in str(kind)) == typed.removesuffix(" | null").endswith("[]"), f"{told.name}.{node.name.value}"
        if node.selection_set is not None:
            while hasattr(kind, "of_type"):
                kind = kind.of_type
            compare(kind, node.selection_set, interfaces)


def test_client_is_small(built: Path) -> None:
    """Compressed, as a browser fetches it; a bundler also removes the comments."""
    modules = [path for path in built.glob("*.js") if path.name != "ai.js"]
    assert len(gzip.compress(b"".join(path.read_bytes() for path in modules))) < BYTES_MAX


async def test_client_works_with_a_running_service(
    built: Path, server: Server, graph: object, tmp_path: Path, tenant: str
) -> None:
    """The tests are those of `clients/typescript/tests`, with the real AI SDK, and the blocks of its README.md."""
    plain, with_ai = re.findall(r"```js\n(.*?)```", (CLIENT / "README.md").read_text("utf-8"), re.DOTALL)
    limits = {"MNEMOSCENE_AUTH_REQUESTS_PER_S": "0"}
    async with open_service(server, tmp_path, limits) as service:
        environ = {"MNEMOSCENE_URL": service.http, "MNEMOSCENE_TENANT": tenant}
        told = await asyncio.to_thread(run, "node", "--test", "tests/", **environ)
        shown = await asyncio.to_thread(run, "node", "--input-type=module", "-e", plain, **environ)
        # The vendor's package is not installed.
        scripted = with_ai.replace('import { openai } from "@ai-sdk/openai";', MODEL)
        await asyncio.to_thread(run, "node", "--input-type=module", "-e", scripted, **environ)
    assert "# fail 0" in told
    assert "Lisbon" in shown


MODEL = """
import { MockLanguageModelV4 } from "ai/test";
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const content = [{ type: "text", text: "In the park." }];
const answer = { content, finishReason: { unified: "stop" }, usage, warnings: [] };
const openai = () => new MockLanguageModelV4({ doGenerate: async () => answer });
"""
