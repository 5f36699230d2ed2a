"""Run one crash round: a child process that remembers, reads and closes the crash story and meets one fault.

Run as a program, it reads rounds from stdin (JSON, one per line) and writes the outcome of each. It runs rounds without
a fault itself, which imports everything, and forks a child for each other round; starting a new Python process per
round would take seconds of imports.
"""

import asyncio
import contextlib
import json
import logging
import os
import sys
import traceback
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from extraction.llm.reader_chain import model_chain
from extraction.openai_api.embedder import OpenAIEmbedder
from extraction.openai_api.endpoint import Endpoint as ModelEndpoint
from extraction.openai_api.language_model import OpenAIModel
from extraction.rules.rule_reader import read_by_rules
from graph_service.graph.database import connect
from graph_service.graph.store import Graph
from graph_service.memory.consolidation.readers import Readers
from graph_service.memory.ingest.spool import Spool
from graph_service.memory.ingest.spool_replay import Replay
from graph_service.memory.jobs.external_services import ExternalServices, GuardedEmbedder, GuardedModel
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.service import Memory
from graph_service.memory.worker.worker import Worker, WorkerRules
from schema.errors import MnemosceneError, UnavailableError
from schema.ids import TenantId
from tests.benchmarks.crash_fault import DIM, Endpoint, Fault, Round, Trigger
from tests.integration.memory.worker.crash_story import STORY
from tests.support.builders import a_job_context, a_memory
from tests.support.tcp_proxy import tcp_proxy

MODEL: Final = "hashed-words"
ENDPOINT_TIMEOUT_S: Final = 0.5
LOOK_AGAIN_S: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """All services of one process."""

    graph: Graph
    memory: Memory
    worker: Worker
    replay: Replay


@contextlib.asynccontextmanager
async def world(
    graph: Graph,
    endpoint: Endpoint,
    spool_path: str,
    *,
    by_model: bool,
    on_step: Callable[[str], object],
    ahead_s: float,
) -> AsyncIterator[World]:
    """Create a worker with its external services, as the service does.

    Args:
        ahead_s: offset of the clock, for a process that starts after the leases of a killed one have expired.
    """
    external_services, steady = ExternalServices(), a_job_context(on_step=lambda step: on_step(step) and None)
    job_context = JobContext(
        clock=lambda: datetime.now(UTC) + timedelta(seconds=ahead_s),
        random_token=steady.random_token,
        on_step=steady.on_step,
        on_change=steady.on_change,
    )
    timeout_s, url = ENDPOINT_TIMEOUT_S, endpoint.base_url
    made = OpenAIEmbedder(ModelEndpoint(model=MODEL, base_url=url, api_key=None, timeout_s=timeout_s), dimensions=DIM)
    embedder = GuardedEmbedder(made, external_services.embedder)
    readers = Readers(first=read_by_rules, fallback=read_by_rules)
    if by_model:
        model = OpenAIModel(ModelEndpoint(model="fake", base_url=url, api_key=None, timeout_s=timeout_s))
        chain = model_chain(GuardedModel(model, external_services.model), read_by_rules)
        readers = Readers(first=chain, fallback=read_by_rules, waits_for_ripe=True)
    rules = WorkerRules(poll_s=0.1)
    worker = Worker(
        graph=graph,
        embedder=embedder,
        readers=readers,
        job_context=job_context,
        rules=rules,
        external_services=external_services,
    )
    spool = Spool(Path(spool_path), bytes_max=2**20)
    replay = Replay(graph=graph, spool=spool, job_context=job_context)
    try:
        yield World(graph=graph, memory=a_memory(graph, embedder=embedder, spool=spool), worker=worker, replay=replay)
    finally:
        await spool.close()


async def tell(world: World, tenant: str, said: set[str], say: Callable[[str], object]) -> None:
    """Remember and close what was not acknowledged before, repeating calls as callers do."""
    for number, call in enumerate(STORY):
        if f"told {number}" not in said:
            await _insisting(partial(world.memory.remember, TenantId(tenant), call))
            say(f"told {number}")
    await _insisting(lambda: _flushed(world.replay))
    for number, call in enumerate(STORY):
        if f"closing {number}" not in said:
            sessions = partial(world.memory.sessions.close, TenantId(tenant))
            await _insisting(partial(sessions, call.user_id, call.session_id))
            say(f"closing {number}")


async def finish(world: World, tenant: str) -> None:
    """Work until no job of the tenant is left."""
    while True:
        with contextlib.suppress(UnavailableError):
            await world.worker.drain()
            left = await world.memory.backlog(TenantId(tenant))
            if not left.waiting + left.leased:
                return
        await asyncio.sleep(LOOK_AGAIN_S)


async def _flushed(replay: Replay) -> None:
    if not await replay.flush():
        raise UnavailableError("episodes wait in the spool for the database; it is asked again")


async def _insisting(call: Callable[[], Any]) -> None:
    while True:
        try:
            await call()
        except UnavailableError:
            await asyncio.sleep(LOOK_AGAIN_S)
        else:
            return


async def _live(planned: Round, access: tuple[str, str, str], say: Callable[[str], object]) -> None:
    """Run the child's work, unless a fault ends it."""
    uri, user, password = access
    trigger, port = Trigger(planned), urlsplit(uri).port or 0
    async with contextlib.AsyncExitStack() as stack:
        if planned.fault is Fault.DATABASE_AWAY:
            cable = await stack.enter_async_context(tcp_proxy(port))
            trigger.cable, uri = (cable, port), f"bolt://127.0.0.1:{cable.port}"
        graph = await connect(uri=uri, user=user, password=password, database=None)
        stack.push_async_callback(graph.close)
        endpoint = stack.enter_context(Endpoint(trigger.reach, planned.fault))
        here = await stack.enter_async_context(
            world(graph, endpoint, planned.spool, by_model=planned.by_model, on_step=trigger.reach, ahead_s=0.0)
        )
        graph.observer = lambda statement: trigger.reach(statement.name) and None
        watching = asyncio.create_task(_watch(graph))
        await (_together if planned.together else _in_turn)(here, planned.tenant, say)
        watching.cancel()
        if trigger.outage is not None:
            await trigger.outage
        graph.observer = None
    say(f"reached {json.dumps(trigger.seen)}")
    say(f"happened {trigger.happened}")


async def _in_turn(world: World, tenant: str, say: Callable[[str], object]) -> None:
    await tell(world, tenant, set(), say)
    await finish(world, tenant)


async def _together(world: World, tenant: str, say: Callable[[str], object]) -> None:
    stop = asyncio.Event()
    beside = [asyncio.create_task(world.worker.run(stop)), asyncio.create_task(world.replay.run(stop))]
    await tell(world, tenant, set(), say)
    left = 1
    while left:
        await asyncio.sleep(LOOK_AGAIN_S)
        with contextlib.suppress(UnavailableError):
            backlog = await world.memory.backlog(TenantId(tenant))
            left = backlog.waiting + backlog.leased
    stop.set()
    await asyncio.gather(*beside)


async def _watch(graph: Graph) -> None:
    """Detect that the database is available again, as the service's watch does."""
    while True:
        if graph.away:
            with contextlib.suppress(MnemosceneError):
                await graph.answers()
        await asyncio.sleep(LOOK_AGAIN_S)


def _born(planned: Round, access: tuple[str, str, str], out: int) -> None:
    """Run a child to its end; never returns."""

    def say(line: str) -> None:
        os.write(out, f"{line}\n".encode())

    # Faults are expected; open resources of the parent belong to an event loop that no longer runs.
    logging.disable()
    try:
        asyncio.run(_live(planned, access, say))
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _nursery(access: tuple[str, str, str]) -> None:
    for line in sys.stdin:
        told = json.loads(line)
        planned = Round(**told | {"fault": Fault(told["fault"])})
        if planned.fault is Fault.NONE:
            said: list[str] = []
            asyncio.run(_live(planned, access, said.append))
            _answer(said, 0)
            continue
        read_end, write_end = os.pipe()
        child = os.fork()
        if child == 0:
            _born(planned, access, write_end)
        os.close(write_end)
        with os.fdopen(read_end) as pipe:
            said = pipe.read().splitlines()
        _, status = os.waitpid(child, 0)
        _answer(said, os.waitstatus_to_exitcode(status))


def _answer(said: list[str], code: int) -> None:
    sys.stdout.write(json.dumps({"said": said, "code": code}) + "\n")
    sys.stdout.flush()


def as_line(planned: Round) -> str:
    """Return a round as a line of the parent's input."""
    return json.dumps(asdict(planned)) + "\n"


if __name__ == "__main__":
    _nursery((sys.argv[1], sys.argv[2], sys.argv[3]))
