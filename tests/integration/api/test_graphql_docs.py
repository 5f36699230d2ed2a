"""Test docs/graphql.md: its snippets run, and its limits and codes are those of the code."""

import re
from pathlib import Path

from graphql import parse, validate

from graph_service.api.graphql import execution as limits
from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.store import Graph
from schema.errors import MnemosceneError
from schema.ids import TenantId
from tests.support.builders import a_memory, a_worker

PAGE = (Path(__file__).parents[3] / "docs/graphql.md").read_text("utf-8")
SNIPPETS = re.findall(r"^```graphql\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


async def test_every_snippet_of_the_page_runs_in_order(graph: Graph, tenant: str) -> None:
    memory = a_memory(graph)
    answers = {}
    for text in SNIPPETS:
        document = parse(text)
        assert validate(graphql_schema._schema, document) == []
        if text.startswith("subscription"):
            continue
        context = {"memory": memory, "tenant": TenantId(tenant)}
        answer = await graphql_schema.execute(text, context_value=context)
        assert not answer.errors, answer.errors
        assert answer.data is not None
        answers |= answer.data
        await a_worker(graph).drain()
    assert answers["user"]["facts"]["nodes"][0]["evidence"][0]["text"] == "I live in Paris."
    assert answers["addFact"]["factId"] is not None
    assert "Paris" in answers["context"]["text"]


def test_page_states_the_actual_limits_and_codes() -> None:
    told = dict(re.findall(r"^\| ([a-z ]+?) \| ([\d,]+) \|$", PAGE, re.MULTILINE))
    assert {name: int(value.replace(",", "")) for name, value in told.items()} == {
        "cost": limits.COST_MAX,
        "depth": limits.DEPTH_MAX,
        "aliases": limits.ALIASES_MAX,
        "selections in a document": limits.SELECTIONS_MAX,
        "occurrences of one field in a selection set": limits.REPEATS_MAX,
        "operations and fragments in a document": limits.DEFINITIONS_MAX,
        "characters of a document": limits.DOCUMENT_CHARS_MAX,
        "tokens of a document": limits.TOKENS_MAX,
    }
    kinds = [MnemosceneError, *MnemosceneError.__subclasses__()]
    known = {kind.code for one in kinds for kind in (one, *one.__subclasses__())}
    codes = set(re.findall(r"`([A-Z]+(?:_[A-Z]+)*)`", PAGE.split("## Errors")[1]))
    assert {code for code in codes if not code.startswith("PERSISTED")} <= known
