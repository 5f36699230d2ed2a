"""`/metrics` for Prometheus: counters, and gauges read at the scrape."""

import asyncio
import importlib
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

import psutil
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from extraction.unreadable import UNREADABLE
from graph_service.app.services import Services
from graph_service.circuit_breaker import BreakerState
from graph_service.live.hub import Hub
from graph_service.memory.jobs.outbox import JOB_STATES, JobKind, JobTotals, job_totals
from graph_service.observability.metrics import Labels, Level
from schema.errors import MnemosceneError

MEDIA_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
# Prometheus times out after ten seconds.
_DATABASE_MAX_S: Final = 3.0
_BREAKER: Final = {BreakerState.CLOSED.value: 0, BreakerState.HALF_OPEN.value: 1, BreakerState.OPEN.value: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauges:
    """Gauges for one scrape."""

    levels: list[Level] = field(default_factory=list)

    def add(self, name: str, about: str, value: float) -> None:
        """Add a gauge without labels."""
        self.levels.append(Level(name=f"mnemoscene_{name}", help=about, values={(): value}))

    def add_by(self, name: str, about: str, label: str, values: dict[str, float]) -> None:
        """Add a gauge with one label."""
        keyed: dict[Labels, float] = {(key,): value for key, value in values.items()}
        self.levels.append(Level(name=f"mnemoscene_{name}", help=about, labels=(label,), values=keyed))


async def metrics_page(services: Services, *, viewers: int, answering_since_s: float, name: str) -> bytes:
    """Return the metrics in Prometheus' text format.

    Args:
        viewers: number of connected viewers.
        answering_since_s: when the service started answering, Unix seconds.
        name: the version.
    """
    gauges = Gauges()
    gauges.add_by("build", "The running version.", "version", {name: 1.0})
    await _add_database(gauges, services)
    depth = await services.spool.depth()
    gauges.add_by(
        "spool_episodes",
        "Episodes in the spool on this machine's disk: waiting for Neo4j, or refused by it.",
        "state",
        {"waiting": depth.waiting, "refused": depth.refused},
    )
    gauges.add("spool_paused", "1 while replay of the spool is paused.", await services.spool.paused())
    about = "Messages, questions or parts of them left unread because reading them failed; each is a bug."
    gauges.add("unreadable_texts", about, UNREADABLE.total())
    gauges.add("viewers", "Connected viewers.", viewers)
    _add_external_services(gauges, services)
    _add_endpoints(gauges, services)
    _add_processes(gauges, services, answering_since_s)
    # Takes 0.1 s to load, so it is deferred to the first scrape.
    module = await asyncio.to_thread(importlib.import_module, "graph_service.observability.prometheus_text")
    text: bytes = module.metrics_text(gauges.levels)
    return text


async def _add_database(gauges: Gauges, services: Services) -> None:
    """Add the state of Neo4j and, if it answers, the job counts."""
    try:
        async with asyncio.timeout(_DATABASE_MAX_S):
            found = await job_totals(services.graph, now=datetime.now(UTC), kinds=services.worker.kinds)
    except (MnemosceneError, TimeoutError):
        gauges.add("neo4j_up", "1 while Neo4j answers.", 0)
        return
    gauges.add("neo4j_up", "1 while Neo4j answers.", 1)
    _add_jobs(gauges, found)


def _add_jobs(gauges: Gauges, found: JobTotals) -> None:
    jobs: dict[Labels, float] = {
        (kind.value, state): float(found.jobs.get((kind, state), 0)) for kind in JobKind for state in JOB_STATES
    }
    about = "Unfinished background jobs: open, leased, or dead letters."
    gauges.levels.append(Level(name="mnemoscene_jobs", help=about, labels=("kind", "state"), values=jobs))
    gauges.add("oldest_job_seconds", "Time since the most overdue open job was due.", found.overdue_s)


def _add_external_services(gauges: Gauges, services: Services) -> None:
    breakers = {
        **{name: float(_BREAKER[one.state.value]) for name, one in services.external_services.configured().items()},
        "redis": float(_BREAKER.get(services.window.state().breaker or "", 0)),
    }
    gauges.add_by("circuit_breaker", "Circuit breakers: 0 closed, 1 half open, 2 open.", "service", breakers)
    gauges.add(
        "embedder_up", "0 if an embedder is configured but unavailable, else 1.", services.embedder_problem is None
    )


def _add_endpoints(gauges: Gauges, services: Services) -> None:
    """Add the use of each endpoint's limits; the limit 0 means none."""
    limiters = services.limiters
    used = {name: one.last_minute() for name, one in limiters.items()}
    requests: dict[str, float] = {name: number for name, (number, _) in used.items()}
    tokens: dict[str, float] = {name: number for name, (_, number) in used.items()}
    running: dict[str, float] = {name: one.running for name, one in limiters.items()}
    waiting: dict[str, float] = {name: one.waiting for name, one in limiters.items()}
    waited_s = {name: one.waited_s for name, one in limiters.items()}
    gauges.add_by("endpoint_requests", "Requests to an endpoint in the last minute.", "endpoint", requests)
    gauges.add_by("endpoint_tokens", "Tokens of an endpoint in the last minute.", "endpoint", tokens)
    gauges.add_by("endpoint_running", "Requests to an endpoint that run now.", "endpoint", running)
    gauges.add_by("endpoint_waiting", "Requests that wait for the limits of an endpoint.", "endpoint", waiting)
    gauges.add_by("endpoint_waited_seconds", "Total time of waits for the limits.", "endpoint", waited_s)
    limits: dict[Labels, float] = {}
    for name, one in limiters.items():
        limits[name, "concurrent requests"] = float(one.limits.concurrent_calls)
        limits[name, "requests"] = float(one.limits.requests_per_minute)
        limits[name, "tokens"] = float(one.limits.tokens_per_minute)
    about = "Limits of an endpoint: concurrent requests, and requests and tokens per minute; 0 means none."
    gauges.levels.append(
        Level(name="mnemoscene_endpoint_limit", help=about, labels=("endpoint", "limit"), values=limits)
    )


def _add_processes(gauges: Gauges, services: Services, answering_since_s: float) -> None:
    own = psutil.Process()
    memory = {"service": float(own.memory_info().rss)}
    server = services.local_server.server
    if server is not None and server.own is not None:
        process = server.own.mark.process()
        if process is not None:
            memory["neo4j"] = float(process.memory_info().rss)
    gauges.add_by("memory_bytes", "Resident memory of the service and of its local Neo4j.", "process", memory)
    gauges.add("cpu_seconds", "CPU time of the service since its start.", sum(own.cpu_times()[:2]))
    gauges.add("threads", "Threads of the service.", own.num_threads())
    took_s = answering_since_s - own.create_time()
    gauges.add("start_seconds", "Time from the start of the process until the service answered.", took_s)
    gauges.add("up_seconds", "Time since the service began to answer.", time.time() - answering_since_s)


def metrics_router(services: Services, hub: Hub, version: str) -> APIRouter:
    """Return the router with `/metrics`, whose metrics contain no tenant, user or text."""
    router = APIRouter()

    @router.get("/metrics", summary="Metrics in Prometheus' text format.")
    async def metrics(request: Request) -> Response:
        since_s: float = request.app.state.answering_since_s
        page = await metrics_page(services, viewers=hub.viewers, answering_since_s=since_s, name=version)
        return Response(page, media_type=MEDIA_TYPE)

    return router
