"""Test the Python snippets of docs/mcp.md against a running service."""

import asyncio
import re
import textwrap
from pathlib import Path
from typing import Any

from graph_service.graph.store import Graph
from schema.ids import DEFAULT_TENANT
from tests.support.builders import a_memory, an_incoming
from tests.support.mcp_service import serving

ROOT = Path(__file__).parents[3]
ADDRESS = "http://127.0.0.1:7780/mcp?user=ana"


def snippets(page: str) -> list[str]:
    """Return the Python blocks of a page."""
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)


async def test_official_client_works_as_documented(graph: Graph, tenant: str) -> None:
    (text,) = (one for one in snippets("docs/mcp.md") if "async with" in one)
    memory = a_memory(graph)
    await memory.remember(DEFAULT_TENANT, an_incoming("I love the coffee at the station.", user=f"ana-{tenant}"))
    async with serving(memory) as service:
        source = text.replace(ADDRESS, f"{service.url}?user=ana-{tenant}")
        assert source != text
        names: dict[str, Any] = {}
        exec(f"async def shown():\n{textwrap.indent(source, '    ')}\n    return found", names)
        found = await asyncio.wait_for(names["shown"](), 60)
    assert "station" in found.content[0].text
