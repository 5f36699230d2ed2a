"""Test what GraphQL refuses before execution, the reported costs, and persisted queries."""

import gc
import json
import tracemalloc
from hashlib import sha256
from typing import Any

import pytest
from graphql import DocumentNode, GraphQLSyntaxError, Lexer, Source, TokenKind, parse, validate
from hypothesis import given
from hypothesis import strategies as st

from graph_service.api.graphql import execution as graphql_prepared
from graph_service.api.graphql.execution import (
    ALIASES_MAX,
    CACHE_BYTES_MAX,
    COMPARISONS_MAX,
    COST_MAX,
    DEFINITIONS_MAX,
    DOCUMENT_BYTES_MAX,
    DOCUMENT_CHARS_MAX,
    ERRORS_MAX,
    REPEATS_MAX,
    TOKENS_MAX,
    cost_of,
    document_cache,
    document_problem,
    tokens_in,
)
from graph_service.api.graphql.router import PERSISTED_BYTES_MAX, TEXT_BYTES_MIN, TEXT_CHARS_MAX, persisted_queries
from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.store import Graph
from tests.integration.api.test_graphql import Api, api
from tests.support.growth import cpu_within
from tests.support.slow import slow_but

__all__ = ["api"]
_JOB_STATUS = "{ jobStatus { waiting } }"


def hashed(text: str, *, name: str | None = None) -> dict[str, Any]:
    return {"persistedQuery": {"version": 1, "sha256Hash": name or sha256(text.encode()).hexdigest()}}


async def code_of(api: Api, query: str) -> str:
    return str((await api.ask(query))["errors"][0]["extensions"]["code"])


async def test_response_reports_its_cost(api: Api) -> None:
    told = await api.ask("{ jobStatus { waiting leased } }")
    assert told["extensions"]["cost"] == {"requested": 3, "max": COST_MAX, "depth": 2, "aliases": 0}
    # The second response comes from the cache.
    assert await api.ask("{ jobStatus { waiting leased } }") == told


@pytest.mark.parametrize(
    ("first", "cost"), [("first: 100", 2 + 100 * 2), ("first: $n", 2 + 7 * 2), ("", 2 + 50 * 2), ("first: -5", 4)]
)
def test_list_cost_is_its_maximum_length(first: str, cost: int) -> None:
    document = parse(f'query ($n: Int = 7) {{ sessions(userId: "a", {first}) {{ nodes {{ uri state }} }} }}')
    assert cost_of(graphql_schema._schema, document, None, {}).cost == cost


@pytest.mark.parametrize(
    ("evidence", "cost"),
    [
        # One search, its hits, and an estimated ten messages for each.
        ("", 51 + 1 + 100 * (2 + 10)),
        ("evidence: 0", 51 + 1 + 100 * (2 + 10)),
        ("evidence: 20", 51 + 100 * 20 + 1 + 100 * (2 + 20)),
        ("evidence: $n", 51 + 100 * 20 + 1 + 100 * (2 + 20)),
    ],
)
def test_evidence_cost_is_its_number_of_messages(evidence: str, cost: int) -> None:
    asked = f'recall(userId: "a", query: "b", limit: 100, {evidence})'
    plain = parse(f"query ($n: Int = 20) {{ {asked} {{ hits {{ id evidence {{ text }} }} }} }}")
    assert cost_of(graphql_schema._schema, plain, None, {}).cost == cost
    fragment = "fragment H on RecallHit { id ... { evidence { text } } }"
    spread = parse(f"query ($n: Int = 20) {{ {asked} {{ hits {{ ...H }} }} }} {fragment}")
    assert cost_of(graphql_schema._schema, spread, None, {}).cost == cost


async def test_operations_too_deep_too_wide_or_too_costly_are_refused_by_name(api: Api) -> None:
    aliases = " ".join(f"a{i}: jobStatus {{ waiting }}" for i in range(ALIASES_MAX + 1))
    costly = "{ kind id uri score parts { name value } evidence { text saidAt } }"
    for query in (
        f"{{ {aliases} }}",
        f"{{ {' '.join(['jobStatus { waiting }'] * (REPEATS_MAX + 1))} }}",
        "query { "
        + " ".join(f'a{i}: recall(userId: "a", query: "b", limit: 1000) {{ hits {costly} }}' for i in range(9))
        + " }",
        "{ jobStatus { waiting } } "
        + " ".join(f"fragment F{i} on JobStatus {{ waiting }}" for i in range(DEFINITIONS_MAX)),
    ):
        refused = (await api.ask(query))["errors"][0]["extensions"]["code"]
        assert refused == "TOO_COSTLY"


async def test_fragments_with_many_mutual_references_are_costed_quickly(api: Api) -> None:
    chain = " ".join(f"fragment F{i} on JobStatus {{ waiting ...F{i + 1} ... {{ ...F{i + 1} }} }}" for i in range(45))
    query = f"{{ jobStatus {{ ...F0 }} }} {chain} fragment F45 on JobStatus {{ waiting }}"
    told = await api.ask(query)
    assert told["errors"][0]["extensions"]["code"] == "TOO_COSTLY"
    assert told["extensions"]["cost"]["requested"] > 2**44


async def test_persisted_query_hash_is_valid_for_its_tenant_only(api: Api, tenant: str) -> None:
    wanted = hashed(_JOB_STATUS)
    assert (await api.send(extensions=wanted))["errors"][0]["message"] == "PersistedQueryNotFound"
    assert (await api.send(query=_JOB_STATUS, extensions=wanted))["data"]["jobStatus"]["waiting"] == 0
    assert (await api.send(extensions=wanted))["data"]["jobStatus"]["waiting"] == 0
    elsewhere = await api.send(extensions=wanted, tenant=f"{tenant}-other")
    assert elsewhere["errors"][0]["extensions"]["code"] == "PERSISTED_QUERY_NOT_FOUND"
    wrong = await api.send(query=_JOB_STATUS, extensions=hashed("{ spool { waiting } }"))
    assert wrong["errors"][0]["extensions"]["code"] == "PERSISTED_QUERY_HASH_MISMATCH"
    for odd in ({"persistedQuery": 5}, {"persistedQuery": {"version": 2}}, {"persistedQuery": {"version": 1}}):
        assert (await api.send(query=_JOB_STATUS, extensions=odd))["errors"][0]["extensions"]["code"] == "BAD_INPUT"


def test_query_cache_is_bounded_in_number_and_bytes() -> None:
    cache, texts_max = persisted_queries(), PERSISTED_BYTES_MAX // TEXT_BYTES_MIN
    for number in range(texts_max + 5):
        cache["t", str(number)] = "x" * 10
    assert len(cache) == texts_max
    assert (cache.get(("t", "0")), cache.get(("t", "5"))) == (None, "x" * 10)
    # A character takes up to four bytes, and the bound is in bytes.
    for number in range(150):
        cache["u", str(number)] = "茶" * (TEXT_CHARS_MAX - 1) + "🍵"
        assert cache.currsize <= PERSISTED_BYTES_MAX
    assert len(cache) == PERSISTED_BYTES_MAX // (4 * TEXT_CHARS_MAX)


async def test_longer_queries_are_not_persisted(api: Api) -> None:
    long = f"{_JOB_STATUS} #{'x' * TEXT_CHARS_MAX}"
    assert (await api.send(query=long, extensions=hashed(long)))["data"]["jobStatus"]["waiting"] == 0
    assert (await api.send(extensions=hashed(long)))["errors"][0]["extensions"]["code"] == "PERSISTED_QUERY_NOT_FOUND"


async def test_only_documents_within_the_limits_are_persisted(api: Api) -> None:
    for refused in ("{ nothing }", "{ jobStatus { waiting }", f"{{ {' '.join(['jobStatus { waiting }'] * 20)} }}"):
        assert "errors" in await api.send(query=refused, extensions=hashed(refused))
        again = await api.send(extensions=hashed(refused))
        assert again["errors"][0]["extensions"]["code"] == "PERSISTED_QUERY_NOT_FOUND"


def dense(number: int) -> str:
    """Return a document with as many tokens for its characters as possible, without much repetition."""
    fields = " ".join(f"a{number}_{i}:id" for i in range(240))
    return f'{{ recall(userId: "a", query: "b", kinds: [{"FACT " * 500}]) {{ hits {{ {fields} }} }} }}'


@pytest.mark.slow
def test_document_cache_stays_within_its_memory_bound() -> None:
    """Regression: 256 documents of 16,000 characters were cached, up to 5.9 MB each."""
    cache = document_cache(bytes_max=2 * 2**20)
    gc.collect()
    tracemalloc.start()
    try:
        for number in range(100):
            text = f"query Q{number} {{ jobStatus {{ waiting leased dead }} }}" + " " * number
            cache[text] = parse(text)
            cache[dense(number)] = parse(dense(number))
        gc.collect()
        took = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert 0 < cache.currsize <= 2 * 2**20
    assert took <= 1.2 * 2**20 * 2
    assert len(cache) == 100 or cache.currsize > 2**20


_MANY_VALUES = "{ a(b: [" + "1," * 2_000 + "]) }"
_LONG_TEXT = '{ a(b: "' + "茶" * 10_000 + '") }'


@pytest.mark.parametrize(
    "text",
    slow_but(
        [_MANY_VALUES, _LONG_TEXT],
        [
            "{ jobStatus { waiting } }",
            "{" + " a" * 1_500 + "}",
            _MANY_VALUES,
            "query(" + "$a:I" * 1_000 + "){a}",
            "{a" + "@a" * 2_000 + "}",
            _LONG_TEXT,
        ],
    ),
)
def test_document_size_estimate_is_not_below_its_memory(text: str) -> None:
    gc.collect()
    tracemalloc.start()
    try:
        document = parse(text)
        gc.collect()
        took = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert took <= graphql_prepared.document_bytes(document)


async def test_refused_documents_are_not_cached_and_accepted_ones_are(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = document_cache()
    monkeypatch.setattr(graphql_prepared, "_CACHE", cache)
    aliases = " ".join(f"a{i}: jobStatus {{ waiting }}" for i in range(ALIASES_MAX + 1))
    costly = '{ recall(userId: "a", query: "b", limit: $n) { hits { evidence { text } } } }'
    for refused in (
        "{ nothing }",
        "{ jobStatus { waiting }",
        f"{{ {aliases} }}",
        dense(1),
        "fragment F on JobStatus { dead }",
    ):
        assert "errors" in await api.ask(refused)
    assert "errors" in await api.ask(f"query ($n: Int) {costly}", n=1_000_000)
    assert len(cache) == 0
    assert (await api.ask(_JOB_STATUS))["data"]["jobStatus"]["waiting"] == 0
    assert cache.get(_JOB_STATUS) is not None
    assert (await api.ask(_JOB_STATUS))["data"]["jobStatus"]["waiting"] == 0
    assert len(cache) == 1
    assert DOCUMENT_BYTES_MAX < CACHE_BYTES_MAX


async def test_document_that_is_too_long_is_refused_before_parsing(api: Api) -> None:
    """Regression: 16 MB blocked the event loop for a second per million characters."""
    for text in (
        '{ jobStatus { waiting(a: "' + "x" * DOCUMENT_CHARS_MAX + '") } }',
        "#" * 10_000_000 + "\n{ jobStatus { waiting } }",
        " " * DOCUMENT_CHARS_MAX + "{ jobStatus { waiting } }",
    ):
        with cpu_within(1.0):
            assert await code_of(api, text) == "TOO_COSTLY"
    assert await code_of(api, "{" + " a" * TOKENS_MAX + "}") == "TOO_COSTLY"


@given(
    st.lists(
        st.sampled_from([*'{}()[]:=!|&$@"', '"""', "...", "\\", '\\"', "#", "\n", " ", ",", "a", "query", "-1.5e3"])
    )
)
def test_token_count_equals_that_of_the_parser(parts: list[str]) -> None:
    text, tokens = " ".join(parts), 0
    lexer = Lexer(Source(text))
    try:
        while lexer.advance().kind is not TokenKind.EOF:
            tokens += 1
    except GraphQLSyntaxError:
        # The parser stops at an invalid token; the tokens before it were counted.
        assert tokens_in(text) >= tokens
        return
    assert tokens_in(text) == tokens


@pytest.mark.parametrize("part", ['""" \\', '"\\', '"', "#", '\\"""', '"""\\', "a", '"""x'])
def test_counting_tokens_takes_linear_time(part: str) -> None:
    text = (part * DOCUMENT_CHARS_MAX)[:DOCUMENT_CHARS_MAX]
    with cpu_within(1.0):
        tokens_in(text)


def nested(open_text: str, inner: str, close_text: str, times: int) -> str:
    return open_text * times + inner + close_text * times


@pytest.mark.parametrize(
    "text",
    [
        nested("{ jobStatus ", "{ waiting }", "}", 2_000),
        "{ jobStatus { waiting(a: " + nested("[", "", "]", 2_400) + ") } }",
        "{ jobStatus { waiting(a: " + nested("{a: ", "1", "}", 1_200) + ") } }",
        "query ($a: " + nested("[", "Int", "]", 2_400) + ") { jobStatus { waiting } }",
        "{ jobStatus " + nested("{ ... on JobStatus ", "{ waiting }", "}", 900) + " }",
        "query ($n: Int = " + "9" * 5_000 + ") { jobStatus { waiting } }",
        '{ sessions(userId: "a", first: ' + "9" * 5_000 + ") { nodes { uri } } }",
        "fragment F on JobStatus { waiting ...F } { jobStatus { ...F } }",
        "fragment F on JobStatus { waiting }",
        "",
    ],
)
async def test_deeply_nested_documents_and_huge_numbers_are_refused_with_a_message(api: Api, text: str) -> None:
    errors = (await api.ask(text)).get("errors")
    assert errors is None or all(one["extensions"]["code"] in ("BAD_INPUT", "TOO_COSTLY") for one in errors)


async def test_reported_validation_errors_are_limited_in_number(api: Api) -> None:
    told = await api.ask("{ " + " ".join(f"recal{i}" for i in range(500)) + " }")
    assert len(told["errors"]) == ERRORS_MAX + 1
    assert "recall" in told["errors"][0]["message"]


def compared(fragments: int, fields: int, arguments: str = "") -> str:
    """Return fragments with the same fields, which validation compares pairwise."""
    spreads = " ".join(f"...F{i}" for i in range(fragments))
    return f"{{ jobStatus {{ {spreads} }} }} " + " ".join(
        f"fragment F{i} on JobStatus {{ {' '.join(f'a{j}: waiting{arguments}' for j in range(fields))} }}"
        for i in range(fragments)
    )


def operations(count: int, variables: int) -> str:
    """Return operations that all use one fragment and have many variables."""
    declared = " ".join(f"$a{i}: Int" for i in range(variables))
    used = " ".join(
        f'z{i}: recall(userId: "a", query: "b", limit: $a{i}) {{ hits {{ id }} }}' for i in range(variables)
    )
    return " ".join(f"query Q{i}({declared}) {{ ...V }}" for i in range(count)) + f" fragment V on Query {{ {used} }}"


@pytest.mark.parametrize(
    "text",
    [
        compared(300, 1),
        compared(49, 20),
        compared(40, 20),
        compared(12, 80),
        compared(49, 3, "(x: [1 1 1 1 1 1 1])"),
        compared(5, 10, f"(x: [{'1 ' * 80}])"),
        operations(300, 4),
        operations(25, 30),
        "{ " + " ".join(f"recall(limit: $a{i})" for i in range(600)) + " }",
        "{ recall(filter: {" + " ".join(f"x{i}: 1" for i in range(1_600)) + "}) { hits { id } } }",
        "{ jobStatus" + "@skip(if: true)" * 800 + " { waiting } }",
        dense(0),
    ],
)
def test_any_document_is_validated_in_bounded_time(text: str) -> None:
    """Regression: 300 fragments of one field took 1.7 s, 600 fields of one name 6.4 s, and blocked everybody."""
    # 60 to 150 ms of processor time on the author's machine.
    with cpu_within(1.0):
        document = parsed(text)
        if document is not None and document_problem(document) is None:
            validate(graphql_schema._schema, document, max_errors=ERRORS_MAX)


def parsed(text: str) -> DocumentNode | None:
    try:
        return graphql_prepared._parsed(text, tokens_in(text))
    except graphql_prepared.GraphQLError:
        return None


def test_ordinary_document_with_fragments_is_far_below_the_limits() -> None:
    text = compared(12, 9)
    assert document_problem(parse(text)) is None
    occurrences = 12 * 12 * 9
    assert occurrences < COMPARISONS_MAX / 20


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000 + b"]" * 100_000,
        b'{"query": "{ jobStatus { waiting } }", "variables": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
        b'{"query": "{ jobStatus { waiting } }", "variables": {"a": ' + b"9" * 5_000 + b"}}",
        b'{"query": "\xff\xfe"}',
        b'"a text"',
        b"5",
        b"null",
        b'{"query": 5}',
        b'{"query": "{ jobStatus { waiting } }", "variables": [1]}',
        b'{"query": "{ jobStatus { waiting } }", "extensions": [1]}',
        b'{"query": "{ jobStatus { waiting } }", "operationName": {}}',
        b'[{"query": "{ jobStatus { waiting } }"}, {"query": "{ jobStatus { waiting } }"}]',
        b"",
    ],
)
async def test_invalid_request_body_is_refused_with_a_message(api: Api, body: bytes) -> None:
    """Includes a body with several operations: each counts as a request of its own."""
    answer = await api.post(body)
    assert answer.status_code in (200, 400), answer.text
    if answer.status_code == 200:
        assert b"extensions" in body
        assert answer.json()["data"]["jobStatus"]["waiting"] == 0
    else:
        assert json.loads(answer.text)["error"]["code"] == "BAD_INPUT"


async def test_variable_of_thousands_of_digits_is_refused_with_a_message(api: Api) -> None:
    query = "query ($n: Int) { " + 'sessions(userId: "a", first: $n) { nodes { uri } } }'
    told = await api.ask(query, n=10**4_000)
    assert told["errors"][0]["extensions"]["code"] in ("BAD_INPUT", "TOO_COSTLY")


async def test_half_a_surrogate_pair_is_refused_with_a_message(api: Api, graph: Graph) -> None:
    refused = await api.ask('{ session(userId: "\\ud800", sessionId: "s") { uri } }')
    assert refused["errors"][0]["extensions"]["code"] == "BAD_INPUT"


async def test_document_error_is_reported_also_with_an_operation_name(api: Api) -> None:
    for name in ("Work", "no name", None):
        told = await api.send(query="query Work { jobStatus { waiting }", operationName=name)
        found = told.get("errors", [{}])[0].get("message", "") or told["error"]["message"]
        assert "Syntax Error" in found or name == "no name"
