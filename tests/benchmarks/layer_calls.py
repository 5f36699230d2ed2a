"""Count the model calls for overviews when few sessions change.

    python -m tests.benchmarks.layer_calls [--sessions 100] [--changed 10]

Uses the Neo4j of MNEMOSCENE_TEST_URI and a fake model endpoint that counts its calls. Prints the calls for all
sessions, after the changes, and without changes.
"""

import argparse
import asyncio
import json
import os
import secrets
from dataclasses import dataclass

from extraction.llm.reader_chain import model_chain
from extraction.llm.summary_writer import model_layer_writer
from extraction.openai_api.endpoint import Endpoint
from extraction.openai_api.language_model import OpenAIModel
from extraction.rules.rule_reader import read_by_rules
from graph_service.graph.database import connect
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.readers import Readers
from graph_service.memory.worker.worker import Worker
from schema.ids import TenantId
from tests.support.builders import a_job_context, a_memory, a_message, an_incoming
from tests.support.embedders import HashedWords
from tests.support.fake_openai import FakeOpenAI, says

LONG = "Anna looked at the house by the lake, the roof leaks and the owner wants too much for it. " * 12
READ = json.dumps({"title": "A house", "summary": "Anna looked at a house.", "facts": []})
TOLD = json.dumps({"title": "The house", "abstract": "Anna and a house.", "overview": "## Summary\nA house by a lake."})


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """Numbers of calls for overviews: of all sessions, after some changed, and when all are requested again."""

    first: int
    then: int
    unchanged: int


async def a_model_worker(graph: Graph, fake: FakeOpenAI) -> Worker:
    """Return a worker whose scenes the fake endpoint reads and summarises."""
    model = OpenAIModel(Endpoint(model="fake", base_url=fake.base_url, api_key=None, timeout_s=5))
    readers = Readers(
        first=model_chain(model, read_by_rules),
        fallback=read_by_rules,
        waits_for_ripe=True,
        writer=model_layer_writer(model),
    )
    return Worker(graph=graph, embedder=HashedWords(), readers=readers, job_context=a_job_context())


async def count_calls(graph: Graph, tenant: TenantId, *, sessions: int, changed: int) -> Counted:
    """Close sessions, change and close some of them again, then request the texts of all; count the calls."""
    with FakeOpenAI(*[says(READ), says(TOLD)] * (sessions + changed)) as fake:
        worker = await a_model_worker(graph, fake)
        memory = a_memory(graph)
        memory.layers.refresh = worker.refresh_layers

        async def close(numbers: range, text: str, minute: int) -> int:
            before = len(_overviews(fake))
            for number in numbers:
                message = a_message(text, minute=minute)
                await memory.remember(tenant, an_incoming(session=f"s{number}", messages=(message,)))
                await memory.sessions.close(tenant, "alice", f"s{number}")
            await worker.drain()
            return len(_overviews(fake)) - before

        first = await close(range(sessions), LONG, 0)
        then = await close(range(changed), LONG + "They bought it.", 5)
        report = await memory.layers.generate(tenant, user_id=None, session_id=None)
        assert (report.sessions, report.unchanged) == (sessions, sessions), report
        return Counted(first=first, then=then, unchanged=len(_overviews(fake)) - first - then)


def _overviews(fake: FakeOpenAI) -> list[str]:
    return [text for request in fake.requests if "overview" in (text := json.dumps(request))]


async def _main(sessions: int, changed: int) -> None:
    given = os.environ
    graph = await connect(
        uri=given["MNEMOSCENE_TEST_URI"], user="neo4j", password=given["MNEMOSCENE_TEST_PASSWORD"], database=None
    )
    try:
        tenant = TenantId(f"bench-{secrets.token_hex(4)}")
        counted = await count_calls(graph, tenant, sessions=sessions, changed=changed)
    finally:
        await graph.close()
    print(f"{sessions} sessions: {counted.first} calls; {changed} changed: {counted.then}; none: {counted.unchanged}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--changed", type=int, default=10)
    asked = parser.parse_args()
    asyncio.run(_main(asked.sessions, asked.changed))
