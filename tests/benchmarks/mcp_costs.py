"""Measure the cost of MCP: `python -m tests.benchmarks.mcp_costs [--seconds 5] [CONVERSATION.json …]`.

Prints tokens of the tool list, tokens of get_context beside read_graph on the same data (the demo's conversations), and
throughput and latency of recall over MCP beside the direct call. With conversations of `mnemoscene eval` that have
facts, also tokens of get_context beside read_graph of the official memory server for these facts. Uses the Neo4j of
MNEMOSCENE_TEST_URI; token estimates are upper bounds.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import secrets
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

from extraction.text.token_estimate import tokens_in
from graph_service.config.sections import Aliases, ToolSet
from graph_service.demo.scenario import QUESTIONS, demo_conversations
from graph_service.evaluation.dataset import Conversation, read_all
from graph_service.graph.database import connect
from graph_service.graph.schema_setup import prepare_vectors
from graph_service.graph.store import Graph
from graph_service.mcp.tool import input_schema
from graph_service.mcp.tool_registry import tools_for
from graph_service.memory.ingest.validation import IncomingMessage, RememberRequest
from schema.errors import NotFoundError
from schema.ids import TenantId
from tests.conftest import TEST_DIM, TEST_MODEL, TEST_TOKEN_MODEL
from tests.support.builders import a_memory, a_worker
from tests.support.mcp_service import McpService, serving

BUDGETS, CLIENTS, QUESTIONS_ASKED = (300, 1000), (1, 8), 40


def tell_lists() -> None:
    """Print the tokens of the tools' names, descriptions and arguments."""
    for chosen, aliases in itertools.product(ToolSet, Aliases):
        complete, tools = chosen is ToolSet.ALL, tools_for(chosen, aliases).values()
        listed = [
            {"name": t.name, "description": t.description, "schema": input_schema(t.arguments, complete=complete)}
            for t in tools
        ]
        text = json.dumps(listed, ensure_ascii=False, separators=(",", ":"))
        print(f"tools/list, {chosen.value:4} {aliases.value:8} {len(listed):2} tools  {len(text) // 4:6} tokens")


async def tell_contexts(service: McpService, tenant: TenantId) -> None:
    """Print the tokens of contexts, of the whole graph, and of all messages."""
    said = {
        question.user_id: sum(
            tokens_in(message.text)
            for call in demo_conversations()
            if call.user_id == question.user_id
            for message in call.messages
        )
        for question in QUESTIONS
    }
    for question in QUESTIONS:
        async with service.agent(tenant, user=question.user_id, aliases="memory", tools="all") as agent:
            costs = [
                tokens_in(await agent.text("get_context", query=question.text, max_tokens=budget)) for budget in BUDGETS
            ]
            graph = tokens_in(await agent.text("read_graph"))
        told = "  ".join(f"get_context({budget}) {cost:5}" for budget, cost in zip(BUDGETS, costs, strict=True))
        print(f"{question.user_id:14} {told}  read_graph {graph:6}  all messages {said[question.user_id]:6}")


async def tell_conversations(service: McpService, graph: Graph, tenant: TenantId, paths: list[Path]) -> None:
    """Print the tokens of contexts for the questions of conversations, and of their facts on the official server."""
    for talk in read_all(paths).conversations if paths else ():
        await _store(graph, tenant, talk)
        noted = [
            {"name": talk.user_id, "entityType": "person", "observations": [fact.statement for fact in talk.facts]}
        ]
        # As that server writes it: indented by two spaces.
        whole = tokens_in(json.dumps({"entities": noted, "relations": []}, ensure_ascii=False, indent=2))
        async with service.agent(tenant, user=talk.user_id) as agent:
            costs = [
                tokens_in(await agent.text("get_context", query=question.question, max_tokens=BUDGETS[-1]))
                for question in talk.questions[:QUESTIONS_ASKED]
            ]
        said = sum(tokens_in(turn.text) for turn in talk.messages)
        print(
            f"{talk.id:14} get_context({BUDGETS[-1]}) mean {sum(costs) / len(costs):5.0f}, most {max(costs)}"
            f"  read_graph of {len(talk.facts)} facts {whole:6}  all {len(talk.messages)} messages {said:6}"
        )


async def _store(graph: Graph, tenant: TenantId, talk: Conversation) -> None:
    memory = a_memory(graph)
    for session in talk.sessions:
        messages = tuple(
            IncomingMessage(
                role="user" if turn.speaker == talk.user_id else "assistant",
                text=turn.text,
                time=turn.time,
                speaker=turn.speaker,
                id=turn.id,
            )
            for turn in session.messages
        )
        await memory.remember(tenant, RememberRequest(user_id=talk.user_id, session_id=session.id, messages=messages))
    await a_worker(graph).drain()


async def tell_speed(service: McpService, graph: Graph, tenant: TenantId, *, seconds: float) -> None:
    """Print recalls per second and latency for each number of concurrent clients."""
    question, memory = QUESTIONS[0], a_memory(graph)
    for clients in CLIENTS:

        async def of_use_case() -> None:
            await memory.recall(tenant, question)

        await _timed(f"recall, use case, {clients} at a time", [of_use_case] * clients, seconds)
        async with AsyncExitStack() as stack:
            asks = []
            for _ in range(clients):
                agent = await stack.enter_async_context(service.agent(tenant, user=question.user_id))

                async def over_mcp(agent=agent) -> None:  # type: ignore[no-untyped-def]  # binds the loop's value
                    await agent.call("recall", query=question.text, limit=question.limit)

                await over_mcp()
                asks.append(over_mcp)
            await _timed(f"recall, MCP, {clients} at a time", asks, seconds)


async def _timed(what: str, asks: list[Callable[[], Awaitable[None]]], seconds: float) -> None:
    took: list[float] = []
    end_s = time.perf_counter() + seconds

    async def one(ask: Callable[[], Awaitable[None]]) -> None:
        while (begun := time.perf_counter()) < end_s:
            await ask()
            took.append(time.perf_counter() - begun)

    await asyncio.gather(*map(one, asks))
    took.sort()
    p50, p95 = (took[int(len(took) * share)] * 1000 for share in (0.5, 0.95))
    print(f"{what:32} {len(took) / seconds:7.1f}/s  p50 {p50:6.1f} ms  p95 {p95:6.1f} ms")


async def main(seconds: float, paths: list[Path]) -> None:
    """Fill a new tenant, measure, and forget everything."""
    tell_lists()
    uri, password = os.environ["MNEMOSCENE_TEST_URI"], os.environ["MNEMOSCENE_TEST_PASSWORD"]
    graph = await connect(uri=uri, user="neo4j", password=password, database=None)
    await prepare_vectors(graph, model=TEST_MODEL, dim=TEST_DIM, token_model=TEST_TOKEN_MODEL)
    tenant, memory = TenantId(f"costs-{secrets.token_hex(4)}"), a_memory(graph)
    users = {question.user_id for question in QUESTIONS}
    try:
        for call in demo_conversations():
            if call.user_id in users:
                await memory.remember(tenant, call)
        await a_worker(graph).drain()
        async with serving(memory) as service:
            await tell_contexts(service, tenant)
            await tell_conversations(service, graph, tenant, paths)
            await tell_speed(service, graph, tenant, seconds=seconds)
    finally:
        for user_id in [*users, *(talk.user_id for talk in (read_all(paths).conversations if paths else ()))]:
            with contextlib.suppress(NotFoundError):
                await memory.forgetting.user(tenant, user_id)
        await graph.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("paths", type=Path, nargs="*")
    given = parser.parse_args()
    asyncio.run(main(given.seconds, given.paths))
