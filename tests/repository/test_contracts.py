"""Test that the checked-in contracts match the code: GraphQL, socket frames, predicates in indexes."""

import re
from pathlib import Path

import pytest

from graph_service.api.graphql.schema import graphql_schema
from graph_service.api.schema_files import contracts
from graph_service.auth.rules import FIELDS, FRAMES
from graph_service.graph.statements import statement, statement_names
from schema.frames import frames_schema
from schema.labels import Label, Link
from schema.predicates import allowed, fact_predicates, whitelist

_SCHEMA = Path(__file__).parents[2] / "schema"


@pytest.mark.parametrize("path", sorted(contracts()))
def test_generated_contract_is_current(path: str) -> None:
    """After an intended change run `python -m graph_service.api.schema_files`, which writes all of them."""
    assert contracts()[path] == (_SCHEMA.parent / path).read_text(encoding="utf-8")


def test_each_root_field_and_frame_has_a_required_role() -> None:
    """Add missing ones to the table in `graph_service/auth/rules.py`; until then only administrators of every tenant
    may use them."""
    served = graph_schema_fields()
    assert {operation: set(needs) for operation, needs in FIELDS.items()} == served
    assert set(FRAMES) == set(frames_schema()["client"]["discriminator"]["mapping"])


def graph_schema_fields() -> dict[str, set[str]]:
    """Return the root fields by operation."""
    core = graphql_schema._schema
    kinds = {"query": core.query_type, "mutation": core.mutation_type, "subscription": core.subscription_type}
    return {name: set(kind.fields) if kind else set() for name, kind in kinds.items()}


def test_each_field_of_the_api_has_a_description() -> None:
    sdl = graphql_schema.as_str()
    query = sdl[sdl.index("type Query") : sdl.index("type RecallAnswer")]
    assert all('"""' in query and name in query for name in ("recall(", "jobStatus:"))


def test_entity_relationships_are_the_predicates_of_facts() -> None:
    between = tuple(name for name in whitelist() if allowed(Label.ENTITY, name, Label.ENTITY))
    assert between == fact_predicates()
    assert "[r:" + "|".join(between) + "]" in statement("schema/define_fact_vector").text


def test_statements_use_only_listed_predicates_links_and_labels() -> None:
    # Statements on the database of another program use its labels, and migrations those of older versions.
    ours = (name for name in statement_names() if not name.startswith(("importers/graphiti_", "migrations/")))
    text = "\n".join(statement(name).text for name in ours)
    code = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    types = {name for group in re.findall(r"-\[\w*:([A-Z_|]+)", code) for name in group.split("|")}
    assert types <= set(whitelist()) | set(Link)
    assert set(re.findall(r"\(\w*:([A-Z]\w+)", code)) <= set(Label)
