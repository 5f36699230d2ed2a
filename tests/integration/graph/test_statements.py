"""Test every Cypher statement: it parses, its header is right, and hot ones scan nothing."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from graph_service.graph.statements import Statement, migration_steps, statement, statement_names
from graph_service.graph.store import Graph
from tests.support.slow import slow_but

_SCANS = {
    "AllNodesScan",
    "NodeByLabelScan",
    "NodeIndexScan",
    "UnionNodeByLabelsScan",
    "UndirectedAllRelationshipsScan",
    "DirectedAllRelationshipsScan",
    "UndirectedRelationshipTypeScan",
    "DirectedRelationshipTypeScan",
}
_SOURCES = Path(__file__).parents[3] / "graph_service"


def _operators(plan: dict) -> set[str]:
    found = {plan["operatorType"].split("@")[0]}
    for child in plan.get("children", []):
        found |= _operators(child)
    return found


_ONE_SESSION_DONE = """
UNWIND range(1, 100) AS i
MERGE (:Message {tenant: 'read-and-embedded', id: toString(i), session_id: 'done', said_ms: i, position: 0})
MERGE (:Job {tenant: 'read-and-embedded', id: toString(i), kind: 'extract', due_ms: i, state: 'done'})
MERGE (e:Memory:Entity {tenant: 'read-and-embedded', id: toString(i), key: toString(i)})
// Of many users, because in a database of one user reading all is as good as looking for his.
SET e.user_id = 'user-' + toString(i), e.last_seen = datetime('2026-01-01T00:00:00Z'), e.name = toString(i)
"""


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def quiet(graph: Graph) -> Graph:
    """Return a database whose statistics were taken without pending work, so that the planner expects none."""
    async with graph._driver.session() as session:
        for text in (_ONE_SESSION_DONE, "CALL db.prepareForReplanning(60)"):
            await (await session.run(text)).consume()
    return graph


# The others are parsed where other tests run them; a test below compares their columns with the header.
_HOT = [name for name in statement_names() if statement(name).hot]


@pytest.mark.parametrize("name", slow_but(_HOT, statement_names()))
async def test_each_statement_parses_and_hot_ones_do_not_scan(quiet: Graph, name: str) -> None:
    """Hot plans stay cached while the server runs: planned without pending work, one must not read all of it later."""
    written = statement(name)
    async with quiet._driver.session() as session:
        for step in migration_steps(written) if name.startswith("migrations/") else [written]:
            result = await session.run("EXPLAIN " + step.text, _typed(written))
            summary = await result.consume()
            columns = tuple(result.keys())
            assert written.columns == columns, "the header must name the columns it returns"
    if written.hot and summary.plan:
        assert not _operators(summary.plan) & _SCANS


def _typed(written: Statement) -> dict[str, list[str] | None]:
    """Return parameters with the types of the header where they change a plan: lists of strings."""
    header = (_SOURCES / "graph" / "cypher" / f"{written.name}.cypher").read_text(encoding="utf-8")
    lists = set(re.findall(r"^// \$(\w+): list of (?:str|[a-z ]*ids)\b", header, re.MULTILINE))
    return written.values({name: ["x"] if name in lists else None for name in written.parameters})


async def test_recall_reads_neighbours_of_a_hit_in_index_order(graph: Graph) -> None:
    """Sorting costs as much per hit as its session is long: 180 instead of 20 ms per question at 500 messages."""
    written = statement("recall/recall")
    async with graph._driver.session() as session:
        result = await session.run("EXPLAIN " + written.text, _typed(written))
        plan = (await result.consume()).plan
    assert plan is not None
    assert list(_first_bounds(plan, "n:Message(tenant, session_id, said_ms, position)", "")) == ["Limit", "Limit"]


def _first_bounds(plan: dict, index: str, bound: str) -> Iterator[str]:
    """Return the first bound or order of each index seek."""
    operator = plan["operatorType"].split("@")[0]
    bound = operator if operator in ("Limit", "Top", "Sort", "PartialTop", "PartialSort") else bound
    if operator == "NodeIndexSeek" and index in plan["args"]["Details"]:
        yield bound
    for child in plan.get("children", []):
        yield from _first_bounds(child, index, bound)


@pytest.mark.parametrize("name", statement_names())
def test_header_declares_exactly_the_used_parameters(name: str) -> None:
    written = statement(name)
    assert written.parameters == frozenset(re.findall(r"\$(?:given\.)?([a-z]\w*)", written.text))


@pytest.mark.parametrize("name", [name for name in statement_names() if not name.startswith("migrations/")])
def test_header_declares_exactly_the_columns_of_the_last_clause(name: str) -> None:
    written = statement(name)
    clauses = re.split(r"\b(?:RETURN DISTINCT|RETURN|YIELD|FINISH)\b", _without_brackets(written.text))
    items = re.split(r"\b(?:ORDER BY|SKIP|LIMIT|UNION|WHERE)\b", clauses[-1])[0] if clauses[1:] else ""
    assert written.columns == tuple(item.split()[-1] for item in items.split(",") if item.strip())


def _without_brackets(text: str) -> str:
    """Return the text without what is between brackets: maps, lists, arguments and subqueries."""
    depth, outside = 0, []
    for char in text:
        depth += char in "{[("
        outside += [] if depth else [char]
        depth -= char in "}])"
    return "".join(outside)


def test_no_statement_is_missing_or_unused() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in _SOURCES.rglob("*.py"))
    code = code.replace('f"schema/drop_{index}"', "").replace('f"schema/define_{index}"', "")
    used = re.findall(r'statement\(\s*"([a-z_]+/[a-z_0-9]+)"', code)
    generated = {name for name in statement_names() if re.match(r"schema/(drop|define)_|migrations/", name)}
    assert set(used) == set(statement_names()) - generated


def test_statements_are_scoped_to_a_tenant() -> None:
    """One worker claims jobs for all tenants, and set-up concerns the whole database; nothing else is unscoped."""
    unscoped = {name for name in statement_names() if "tenant" not in statement(name).parameters}
    assert all(
        name
        in {
            "schema/applied_version",
            "export_import/tenants",
            "forgetting/delete_old_records",
            "forgetting/follow",
            "schema/any_vector",
            "schema/other_processes",
            "jobs/claim",
            "jobs/due",
            "jobs/due_kinds",
            "jobs/park_malformed",
            "jobs/reopen_after_outage",
            # Metrics for the operator, over all tenants.
            "jobs/totals_by_state",
            "schema/server_clock",
            "schema/ping",
            # The key determines the tenant, so it is not known before; only the operator revokes keys.
            "auth/list_keys",
            "auth/revoke_key",
            "auth/delete_key",
            "sessions/idle_sessions",
            "schema/fact_index_types",
            "quarantine/list_quarantined",
            "repair/claim_due_sync",
            # The worker looks after the items of all tenants.
            "items/delete_expired",
            "items/unembedded_items",
            # Each row names its tenant.
            "ingest/add_messages",
            "items/set_item_vectors",
            "schema/record_version",
            "schema/start_version",
            "schema/set_embedder",
            "schema/await_indexes",
            "schema/reopen_embedding",
            "schema/clear_message_vectors",
            "schema/clear_token_vectors",
            "schema/clear_scene_vectors",
            "schema/clear_fact_vectors",
            "schema/clear_item_vectors",
            # The sweep of messages that expire.
            "messages/expiring",
            # The database of another program, which has no tenants.
            "importers/graphiti_episodes",
            "importers/graphiti_facts",
            "importers/graphiti_other",
            # The server's list of transactions, in which a random tag identifies each.
            "analyst/running",
            "analyst/terminate",
        }
        or re.match(r"schema/(drop|define)_|migrations/", name)
        for name in unscoped
    ), sorted(unscoped)
