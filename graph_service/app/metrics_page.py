"""The page `/metrics` in Prometheus' text format: counters and histograms of the process, and gauges read now.

Loaded by the first scrape, because `prometheus_client` takes 0.1 s to import.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any, Final

import psutil
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from extraction.unreadable import UNREADABLE
from graph_service.app.services import Services
from graph_service.circuit_breaker import BreakerState
from graph_service.memory.jobs.outbox import JOB_STATES, JobKind, job_totals
from graph_service.observability.metrics import COUNTERS, HISTOGRAMS, Histogram, Labels
from schema.errors import MnemosceneError

# Prometheus times out after ten seconds.
_DATABASE_MAX_S: Final = 3.0
_BREAKER: Final = {BreakerState.CLOSED.value: 0, BreakerState.HALF_OPEN.value: 1, BreakerState.OPEN.value: 2}


class _Page(Collector):
    """The gauges of one scrape, and all counters and histograms."""

    def __init__(self) -> None:
        self._gauges: list[Metric] = []

    def add(self, name: str, about: str, value: float) -> None:
        self.add_by(name, about, (), {(): value})

    def add_by(self, name: str, about: str, labels: tuple[str, ...], values: Mapping[Any, float]) -> None:
        gauge = GaugeMetricFamily(f"mnemoscene_{name}", about, labels=labels)
        for key, value in values.items():
            gauge.add_metric(key, value)
        self._gauges.append(gauge)

    def collect(self) -> Iterator[Metric]:
        yield from self._gauges
        for counter in COUNTERS:
            family = CounterMetricFamily(counter.about.name, counter.about.help, labels=tuple(counter.about.labels))
            for key, value in counter.values.items():
                family.add_metric(key, value)
            yield family
        yield from map(_histogram, HISTOGRAMS)


def _histogram(histogram: Histogram) -> Metric:
    family = HistogramMetricFamily(histogram.about.name, histogram.about.help, labels=tuple(histogram.about.labels))
    ends = [*map(floatToGoString, histogram.bounds), "+Inf"]
    for key, counts in histogram.counts.items():
        family.add_metric(key, list(zip(ends, accumulate(counts), strict=True)), sum_value=histogram.sums[key])
    return family


async def metrics_page(services: Services, *, viewers: int, answering_since_s: float, name: str) -> bytes:
    """Return the page, which contains no tenant, user or text.

    Args:
        answering_since_s: when the service started answering, Unix seconds.
        name: the version.
    """
    page = _Page()
    page.add_by("build", "The running version.", ("version",), {(name,): 1})
    await _add_database(page, services)
    depth = await services.spool.depth()
    about = "Episodes in the spool on this machine's disk: waiting for Neo4j, or refused by it."
    page.add_by("spool_episodes", about, ("state",), {("waiting",): depth.waiting, ("refused",): depth.refused})
    page.add("spool_paused", "1 while replay of the spool is paused.", await services.spool.paused())
    about = "Messages, questions or parts of them left unread because reading them failed; each is a bug."
    page.add("unreadable_texts", about, UNREADABLE.total())
    page.add("viewers", "Connected viewers.", viewers)
    _add_external_services(page, services)
    _add_endpoints(page, services)
    _add_processes(page, services, answering_since_s)
    return generate_latest(page)


async def _add_database(page: _Page, services: Services) -> None:
    """Add the state of Neo4j and, if it answers, the job counts."""
    about = "1 while Neo4j answers."
    try:
        async with asyncio.timeout(_DATABASE_MAX_S):
            found = await job_totals(services.graph, now=datetime.now(UTC), kinds=services.worker.kinds)
    except (MnemosceneError, TimeoutError):
        page.add("neo4j_up", about, 0)
        return
    page.add("neo4j_up", about, 1)
    jobs = {(kind.value, state): found.jobs.get((kind, state), 0) for kind in JobKind for state in JOB_STATES}
    page.add_by("jobs", "Unfinished background jobs: open, leased, or dead letters.", ("kind", "state"), jobs)
    page.add("oldest_job_seconds", "Time since the most overdue open job was due.", found.overdue_s)


def _add_external_services(page: _Page, services: Services) -> None:
    breakers = {(name,): _BREAKER[one.state.value] for name, one in services.external_services.configured().items()}
    breakers["redis",] = _BREAKER.get(services.window.state().breaker or "", 0)
    page.add_by("circuit_breaker", "Circuit breakers: 0 closed, 1 half open, 2 open.", ("service",), breakers)
    about = "0 if an embedder is configured but unavailable, else 1."
    page.add("embedder_up", about, services.embedder_problem is None)


def _add_endpoints(page: _Page, services: Services) -> None:
    """Add the use of each endpoint's limits; the limit 0 means none."""
    limiters, label = {(name,): one for name, one in services.limiters.items()}, ("endpoint",)
    requests, tokens = ({key: one.last_minute()[n] for key, one in limiters.items()} for n in (0, 1))
    running = {key: one.running for key, one in limiters.items()}
    waiting = {key: one.waiting for key, one in limiters.items()}
    waited_s = {key: one.waited_s for key, one in limiters.items()}
    page.add_by("endpoint_requests", "Requests to an endpoint in the last minute.", label, requests)
    page.add_by("endpoint_tokens", "Tokens of an endpoint in the last minute.", label, tokens)
    page.add_by("endpoint_running", "Requests to an endpoint that run now.", label, running)
    page.add_by("endpoint_waiting", "Requests that wait for the limits of an endpoint.", label, waiting)
    page.add_by("endpoint_waited_seconds", "Total time of waits for the limits.", label, waited_s)
    limits: dict[Labels, float] = {}
    for (name,), one in limiters.items():
        limits[name, "concurrent requests"] = one.limits.concurrent_calls
        limits[name, "requests"] = one.limits.requests_per_minute
        limits[name, "tokens"] = one.limits.tokens_per_minute
    about = "Limits of an endpoint: concurrent requests, and requests and tokens per minute; 0 means none."
    page.add_by("endpoint_limit", about, ("endpoint", "limit"), limits)


def _add_processes(page: _Page, services: Services, answering_since_s: float) -> None:
    own = psutil.Process()
    memory: dict[Labels, float] = {("service",): own.memory_info().rss}
    server = services.database.server
    if server is not None and server.own is not None and (process := server.own.mark.process()) is not None:
        memory["neo4j",] = process.memory_info().rss
    page.add_by("memory_bytes", "Resident memory of the service and of its local Neo4j.", ("process",), memory)
    page.add("cpu_seconds", "CPU time of the service since its start.", sum(own.cpu_times()[:2]))
    page.add("threads", "Threads of the service.", own.num_threads())
    took_s = answering_since_s - own.create_time()
    page.add("start_seconds", "Time from the start of the process until the service answered.", took_s)
    page.add("up_seconds", "Time since the service began to answer.", time.time() - answering_since_s)
