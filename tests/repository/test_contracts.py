"""The contracts checked in are the ones the code speaks: GraphQL, the socket's frames, the whitelist in the indexes."""

import re
from pathlib import Path

from graph_service.api.graphql.schema import graphql_schema
from graph_service.api.schema_files import contracts
from graph_service.auth.rules import FIELDS, FRAMES
from graph_service.graph.statements import statement, statement_names
from schema.frames import frames_schema
from schema.labels import Label, Link
from schema.parts import parts_schema
from schema.predicates import allowed, fact_predicates, whitelist

_SCHEMA = Path(__file__).parents[2] / "schema"


def test_the_checked_in_graphql_schema_is_the_one_served() -> None:
    """When it differs on purpose: `python -m graph_service.api.schema_files` writes it anew."""
    assert contracts()["schema.graphql"] == (_SCHEMA / "schema.graphql").read_text(encoding="utf-8")


def test_the_checked_in_frames_are_the_ones_sent() -> None:
    """When they differ on purpose: `python -m graph_service.api.schema_files` writes them anew."""
    for name in ("frames.schema.json", "parts.schema.json"):
        assert contracts()[name] == (_SCHEMA / name).read_text(encoding="utf-8")


def test_each_root_field_and_frame_says_who_may_use_it() -> None:
    """Add yours to the table in `graph_service/auth/rules.py`; until then it is for administrators of every tenant."""
    served = graph_schema_fields()
    assert {operation: set(needs) for operation, needs in FIELDS.items()} == served
    assert set(FRAMES) == set(frames_schema()["client"]["discriminator"]["mapping"])


def graph_schema_fields() -> dict[str, set[str]]:
    """Root fields by operation."""
    core = graphql_schema._schema
    kinds = {"query": core.query_type, "mutation": core.mutation_type, "subscription": core.subscription_type}
    return {name: set(kind.fields) if kind else set() for name, kind in kinds.items()}


def test_the_viewer_knows_each_field_of_the_parts_it_asks_for() -> None:
    source = (_SCHEMA.parent / "web_viewer" / "src" / "protocol" / "parts.ts").read_text(encoding="utf-8")
    typed = {
        name: set(re.findall(r"^  (\w+)\??:", body, re.MULTILINE))
        for name, body in re.findall(r"export interface (\w+) \{\n(.*?)\n\}", source, re.DOTALL)
    }
    for each in parts_schema().values():
        shapes = {each["title"]: each, **each["$defs"]}
        for name in typed.keys() & shapes.keys():
            assert typed[name] == set(shapes[name]["properties"]), name
    assert {"GraphPart", "RecentChanges", "CommunityMap", "ChangeLine"} <= typed.keys()


def test_each_field_of_the_api_says_what_it_is() -> None:
    sdl = graphql_schema.as_str()
    query = sdl[sdl.index("type Query") : sdl.index("type RecallAnswer")]
    assert all('"""' in query and name in query for name in ("recall(", "work:"))


def test_facts_between_entities_have_the_predicates_of_facts() -> None:
    between = tuple(name for name in whitelist() if allowed(Label.ENTITY, name, Label.ENTITY))
    assert between == fact_predicates()
    assert "[r:" + "|".join(between) + "]" in statement("schema/define_fact_vector").text


def test_statements_use_only_listed_predicates_links_and_labels() -> None:
    # Of another program's database other labels are read.
    ours = (name for name in statement_names() if not name.startswith("importers/graphiti_"))
    text = "\n".join(statement(name).text for name in ours)
    code = "\n".join(line for line in text.splitlines() if not line.startswith("//"))
    types = {name for group in re.findall(r"-\[\w*:([A-Z_|]+)", code) for name in group.split("|")}
    assert types <= set(whitelist()) | set(Link)
    assert set(re.findall(r"\(\w*:([A-Z]\w+)", code)) <= set(Label)
