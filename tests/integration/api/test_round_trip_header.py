"""Test the header with the number of round trips; a recall takes one."""

import asyncio

import httpx
from fastapi import FastAPI

from graph_service.api.graphql.schema import graphql_router
from graph_service.app.middleware import ROUND_TRIPS_HEADER, RequestRecord
from graph_service.graph.round_trips import counted, sent
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from tests.support.builders import a_memory


async def test_recall_takes_one_round_trip_and_reports_it(graph: Graph, tenant: str) -> None:
    app = FastAPI()
    app.add_middleware(RequestRecord)
    app.include_router(graphql_router(a_memory(graph)), prefix="/graphql")
    asked = '{ recall(userId: "ana", query: "Where does Ana live? 安娜住在哪里？") { hits { id } } }'
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost") as client:

        async def trips(query: str) -> str:
            answer = await client.post("/graphql", json={"query": query}, headers={"Mnemoscene-Tenant": tenant})
            assert "errors" not in answer.json()
            return answer.headers[ROUND_TRIPS_HEADER]

        assert await asyncio.gather(*(trips(asked) for _ in range(4))) == ["1"] * 4
        assert await trips("{ __typename }") == "0"
        both = await trips(f"{asked[:-1]} more: {asked[2:]}")
        assert both == "2"


async def test_reads_and_every_statement_of_a_transaction_are_counted(graph: Graph, tenant: str) -> None:
    backlog = statement("jobs/backlog")

    async def twice(writing: Writing) -> None:
        for _ in range(2):
            await writing.run(backlog, {"tenant": tenant, "kinds": []})

    with counted() as outer:
        await graph.read(backlog, {"tenant": tenant, "kinds": []})
        with counted() as inner:
            await graph.write(twice)
    assert (outer.sent, inner.sent) == (1, 2)


def test_round_trips_are_not_counted_outside_a_request() -> None:
    sent()
    with counted() as count:
        pass
    sent()
    assert count.sent == 0
