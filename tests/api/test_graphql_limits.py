"""What GraphQL refuses before it runs anything, what answers tell of their cost, and persisted queries.

Requirements E1 and F6, and F2 for tenants.
"""

from hashlib import sha256
from typing import Any

import pytest

from graph_service.api.graphql import graphql_schema
from graph_service.api.graphql_limits import ALIASES_MAX, COST_MAX, REPEATS_MAX, cost_of
from graph_service.api.kept_queries import CHARS_MAX, TEXT_CHARS_MAX, TEXTS_MAX, KeptQueries
from graph_service.graph.store import Graph
from tests.api.test_graphql import Door, door

__all__ = ["door"]
_WORK = "{ work { waiting } }"


def hashed(text: str, *, name: str | None = None) -> dict[str, Any]:
    return {"persistedQuery": {"version": 1, "sha256Hash": name or sha256(text.encode()).hexdigest()}}


async def code_of(door: Door, query: str) -> str:
    return str((await door.ask(query))["errors"][0]["extensions"]["code"])


async def test_an_answer_tells_what_it_cost(door: Door) -> None:
    told = await door.ask("{ work { waiting leased } }")
    assert told["extensions"]["cost"] == {"requested": 3, "max": COST_MAX, "depth": 2, "aliases": 0}
    # The second time everything comes from what was kept.
    assert await door.ask("{ work { waiting leased } }") == told


@pytest.mark.parametrize(
    ("first", "cost"), [("first: 100", 2 + 100 * 2), ("first: $n", 2 + 7 * 2), ("", 2 + 50 * 2), ("first: -5", 4)]
)
def test_a_list_costs_as_much_as_it_may_be_long(first: str, cost: int) -> None:
    from graphql import parse

    document = parse(f'query ($n: Int = 7) {{ sessions(userId: "a", {first}) {{ nodes {{ uri state }} }} }}')
    assert cost_of(graphql_schema._schema, document, None, {}).cost == cost


async def test_too_deep_too_wide_and_too_costly_operations_are_refused_by_name(door: Door) -> None:
    aliases = " ".join(f"a{i}: work {{ waiting }}" for i in range(ALIASES_MAX + 1))
    costly = "{ kind id uri score parts { name value } evidence { text saidAt } }"
    for query in (
        f"{{ {aliases} }}",
        f"{{ {' '.join(['work { waiting }'] * (REPEATS_MAX + 1))} }}",
        "query { "
        + " ".join(f'a{i}: recall(userId: "a", query: "b", limit: 1000) {{ hits {costly} }}' for i in range(9))
        + " }",
        "{ work { waiting } } " + " ".join(f"fragment F{i} on WorkStatus {{ waiting }}" for i in range(1001)),
    ):
        refused = (await door.ask(query))["errors"][0]["extensions"]["code"]
        assert refused == "TOO_COSTLY"


async def test_fragments_that_hold_each_other_many_times_are_counted_at_once(door: Door) -> None:
    chain = " ".join(f"fragment F{i} on WorkStatus {{ waiting ...F{i + 1} ... {{ ...F{i + 1} }} }}" for i in range(60))
    query = f"{{ work {{ ...F0 }} }} {chain} fragment F60 on WorkStatus {{ waiting }}"
    told = await door.ask(query)
    assert told["errors"][0]["extensions"]["code"] == "TOO_COSTLY"
    assert told["extensions"]["cost"]["requested"] > 2**59


async def test_a_persisted_query_is_known_by_its_hash_to_its_tenant_alone(door: Door, tenant: str) -> None:
    wanted = hashed(_WORK)
    assert (await door.send(extensions=wanted))["errors"][0]["message"] == "PersistedQueryNotFound"
    assert (await door.send(query=_WORK, extensions=wanted))["data"]["work"]["waiting"] == 0
    assert (await door.send(extensions=wanted))["data"]["work"]["waiting"] == 0
    elsewhere = await door.send(extensions=wanted, tenant=f"{tenant}-other")
    assert elsewhere["errors"][0]["extensions"]["code"] == "PERSISTED_QUERY_NOT_FOUND"
    wrong = await door.send(query=_WORK, extensions=hashed("{ spool { waiting } }"))
    assert wrong["errors"][0]["extensions"]["code"] == "PERSISTED_QUERY_HASH_MISMATCH"
    for odd in ({"persistedQuery": 5}, {"persistedQuery": {"version": 2}}, {"persistedQuery": {"version": 1}}):
        assert (await door.send(query=_WORK, extensions=odd))["errors"][0]["extensions"]["code"] == "BAD_INPUT"


def test_kept_queries_are_bounded_in_number_and_length() -> None:
    kept = KeptQueries()
    kept.put("t", "long", "x" * (TEXT_CHARS_MAX + 1))
    assert kept.get("t", "long") is None
    for number in range(TEXTS_MAX + 5):
        kept.put("t", str(number), "x" * 10)
    assert len(kept) == TEXTS_MAX
    assert (kept.get("t", "0"), kept.get("t", "5")) == (None, "x" * 10)
    for number in range(150):
        kept.put("u", str(number), "x" * TEXT_CHARS_MAX)
    assert len(kept) <= CHARS_MAX // TEXT_CHARS_MAX + 1


async def test_half_a_surrogate_pair_is_refused_in_words_and_not_a_crash(door: Door, graph: Graph) -> None:
    refused = await door.ask('{ session(userId: "\\ud800", sessionId: "s") { uri } }')
    assert refused["errors"][0]["extensions"]["code"] == "BAD_INPUT"
