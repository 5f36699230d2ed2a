"""Send random operations of the GraphQL schema, with invalid values; the service must never fail.

    python -m tests.benchmarks.graphql_fuzz --uri bolt://… --password … --minutes 5

Prints how often each error code occurred.
"""

import argparse
import asyncio
import random
import time
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, Final

from graphql import (
    GraphQLEnumType,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    get_named_type,
    is_composite_type,
    is_leaf_type,
)

from graph_service.api.graphql.schema import graphql_schema
from graph_service.graph.database import connect
from graph_service.graph.schema_setup import prepare_vectors
from graph_service.graph.store import Graph
from graph_service.memory.list_cursors import ListName, encode_cursor
from schema.ids import TenantId
from tests.conftest import TEST_DIM, TEST_MODEL, TEST_TOKEN_MODEL
from tests.support.builders import a_memory, a_worker, an_incoming

_CORE: Final = graphql_schema._schema
_TEXTS: Final = (
    *("", " ", "alice", "s1", "tea", "张伟住在北京吗？", "what did I say yesterday?", "x" * 300, "x" * 5_000),
    *("\x00", "a\nb", "🫖", "memory://x", "memory://default/user/alice", "#L0", "'; MATCH (n) DETACH DELETE n //"),
    *(
        "lives in",
        "RELATES_TO",
        "PREFERS",
        "MTIzOmFiYw==",
        "null",
        "{",
        "(((",
        "*",
        "~",
        "AND OR NOT",
        "user",
        "assistant",
    ),
)
# Valid cursors of other lists, for lists and other fields.
_CURSORS: Final = (
    *(
        encode_cursor(of, at, "x")
        for of in (ListName.SESSIONS, ListName.ENTITIES, ListName.SCENES)
        for at in (-(2**62), 0, 2**62)
    ),
    encode_cursor(ListName.JOBS, -1, 2**62, "\x00"),
    encode_cursor(ListName.CHANGES, -(2**62)),
)
_NUMBERS: Final = (-(2**31), -1, 0, 1, 2, 5, 20, 100, 101, 1_000, 2**31 - 1)
_FLOATS: Final = (-1e308, -1.0, 0.0, 0.5, 1.0, 3.0, 2.0**53, 1e308)
_MOMENTS: Final = (
    *("2026-03-01T12:00:00Z", "2026-03-01T12:00:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "yesterday"),
    *("2026-03-01T12:00:00+23:59", "1969-12-31T23:59:59.999999Z"),
)
# These delete what the other operations are tried with.
_LAST: Final = frozenset({"forgetUser", "importGraph"})


class Fuzz:
    """Generates operations; the same seed gives the same ones.

    Args:
        ids: ids of existing elements.
    """

    def __init__(self, seed: int, ids: Sequence[str]) -> None:
        self._random = random.Random(seed)
        self._texts = (*_TEXTS, *_CURSORS, *ids, *ids)

    def operation(self) -> tuple[str, dict[str, Any]]:
        """Return a document with one or two root fields, and its variables."""
        kind = self._random.choice(("query", "query", "mutation"))
        root = _CORE.query_type if kind == "query" else _CORE.mutation_type
        assert root is not None
        heads: list[str] = []
        fields: list[str] = []
        variables: dict[str, Any] = {}
        for number in range(self._random.choice((1, 1, 2))):
            name = self._random.choice(sorted(set(root.fields) - _LAST))
            field = root.fields[name]
            passed = []
            for argument, told in field.args.items():
                required = isinstance(told.type, GraphQLNonNull) and told.default_value in (None, ...)
                if required or self._random.random() < 0.5:
                    heads.append(f"${argument}{number}: {told.type}")
                    variables[f"{argument}{number}"] = self.value(told.type)
                    passed.append(f"{argument}: ${argument}{number}")
            call = f"({', '.join(passed)})" if passed else ""
            fields.append(f"f{number}: {name}{call} {self._chosen(field.type, 4)}")
        head = f"({', '.join(heads)})" if heads else ""
        return f"{kind}{head} {{ {' '.join(fields)} }}", variables

    def value(self, kind: Any) -> Any:
        """Return a value of a type, or an invalid one."""
        if isinstance(kind, GraphQLNonNull):
            return self.value(kind.of_type) if self._random.random() < 0.98 else None
        if self._random.random() < 0.05:
            return self._random.choice((None, [], {}, True, "odd"))
        if isinstance(kind, GraphQLList):
            return [self.value(kind.of_type) for _ in range(self._random.choice((0, 1, 2)))]
        if isinstance(kind, GraphQLInputObjectType):
            return {
                name: self.value(field.type)
                for name, field in kind.fields.items()
                if isinstance(field.type, GraphQLNonNull) or self._random.random() < 0.4
            }
        if isinstance(kind, GraphQLEnumType):
            return self._random.choice(sorted(kind.values))
        return self._random.choice(self._of(kind.name))

    def _of(self, name: str) -> Sequence[Any]:
        match name:
            case "Int":
                return _NUMBERS
            case "Float":
                return _FLOATS
            case "Boolean":
                return (True, False)
            case "DateTime":
                return _MOMENTS
            case "JSON":
                return ({}, {"a": 1}, [1, "x"], 5)
            case _:
                return self._texts

    def _chosen(self, kind: Any, depth: int) -> str:
        named: Any = get_named_type(kind)
        if is_leaf_type(named):
            return ""
        names = ["__typename"]
        for name, field in named.fields.items():
            leaf = not is_composite_type(get_named_type(field.type))
            if self._random.random() < (0.7 if leaf else 0.4) and (leaf or depth > 1):
                names.append(f"{name} {self._chosen(field.type, depth - 1)}")
        return "{ " + " ".join(names) + " }"


async def fuzzed(graph: Graph, tenant: str, *, seed: int, cases: int) -> Counter[str]:
    """Run this many operations; return how often each code occurred.

    A failure of the service raises, with its cause.
    """
    memory = a_memory(graph)
    told = an_incoming("I love jasmine tea.", "I live in Paris.", "My sister Anna works at Acme.")
    receipt = await memory.remember(TenantId(tenant), told)
    await a_worker(graph).drain()
    context = {"memory": memory, "tenant": TenantId(tenant)}
    map_now = await graphql_schema.execute("{ graph { nodes { id } edges { id } } }", context_value=dict(context))
    assert map_now.data is not None
    ids = [one["id"] for sort in ("nodes", "edges") for one in map_now.data["graph"][sort]]
    fuzz, codes = Fuzz(seed, [*ids, *receipt.message_ids, *receipt.uris, receipt.session_uri]), Counter[str]()
    for _ in range(cases):
        text, variables = fuzz.operation()
        answer = await graphql_schema.execute(text, variable_values=variables, context_value=dict(context))
        found = [str((error.extensions or {}).get("code", "none")) for error in answer.errors or ()] or ["answered"]
        assert not {"INTERNAL", "none"} & {*found}, (seed, text, variables, answer.errors)
        codes.update(found)
    return codes


async def _main() -> None:
    wanted = argparse.ArgumentParser(description=__doc__)
    wanted.add_argument("--uri", required=True)
    wanted.add_argument("--password", required=True)
    wanted.add_argument("--minutes", type=float, default=5.0)
    wanted.add_argument("--seed", type=int, default=1)
    asked = wanted.parse_args()
    codes, until_s, seed = Counter[str](), time.monotonic() + asked.minutes * 60, asked.seed
    graph = await connect(uri=asked.uri, user="neo4j", password=asked.password, database=None)
    try:
        await prepare_vectors(graph, model=TEST_MODEL, dim=TEST_DIM, token_model=TEST_TOKEN_MODEL)
        while time.monotonic() < until_s:
            tenant = f"fuzz-{datetime.now(UTC):%H%M%S}-{seed}"
            codes += await fuzzed(graph, tenant, seed=seed, cases=200)
            seed += 1
    finally:
        await graph.close()
    print(f"{(seed - asked.seed) * 200:,} operations, crashes 0, {dict(codes)}")


if __name__ == "__main__":
    asyncio.run(_main())
