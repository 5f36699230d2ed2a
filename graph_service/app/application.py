"""The HTTP application: all APIs on one memory, and the background tasks."""

import asyncio
import contextlib
import importlib
import logging
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI
from fastapi.responses import JSONResponse, Response
from starlette.requests import Request
from starlette.routing import Route

from graph_service.api.errors import install_error_handlers
from graph_service.api.graphql.mount import GraphQLEndpoint
from graph_service.api.request_gate import RequestGate, tenant_of
from graph_service.api.rest import explore_router, rest_router, sign_in_router
from graph_service.api.secret_filter import SecretFilter
from graph_service.app.middleware import BodyLimit, HostGuard, RequestRecord, StopGuard
from graph_service.app.services import Services
from graph_service.app.viewer_files import add_viewer
from graph_service.auth.access import Role
from graph_service.auth.audit import AuditLog
from graph_service.auth.authenticator import Authenticator
from graph_service.auth.sign_in import session_secret
from graph_service.config.sections import MCP_PATH
from graph_service.config.settings import is_loopback
from graph_service.live.hub import Hub
from graph_service.live.websocket import live_router
from graph_service.mcp.caller import Caller
from graph_service.mcp.http_endpoint import McpEndpoint
from graph_service.mcp.tool import ServiceInfo, ToolContext
from graph_service.memory.change_log.log import ChangeLog
from graph_service.memory.jobs.outbox import JobKind
from graph_service.memory.mindmap.community_cache import CommunityMaps
from graph_service.memory.mindmap.reader import MindMap
from graph_service.memory.mindmap.snapshot_cache import MapSnapshotCache
from graph_service.memory.repair.repair import SyncSchedule
from graph_service.observability.metrics import Loop
from graph_service.runtime.freed_memory import return_freed_memory
from graph_service.runtime.shutdown import GIVE_BACK_MAX_S, Stopping, in_time
from graph_service.runtime.spool_location import file_of_database
from graph_service.supervision import cancel, first_done, has_result
from graph_service.version import version
from schema.errors import MnemosceneError, UnavailableError
from schema.failure import failure_of
from schema.ids import DEFAULT_TENANT
from schema.limits import LIMITS
from web_viewer import DIST

_log = logging.getLogger("mnemoscene.background")

# Planning takes seconds; loops begin after this time even if it has not ended.
PLAN_MAX_S: Final = 30.0


@contextlib.asynccontextmanager
async def working(services: Services, stopping: Stopping) -> AsyncIterator[None]:
    """Run the background tasks inside the block; at its end close sessions and finish running jobs.

    The supervisor restarts loops that fail.

    Args:
        stopping: requested at the end at the latest; bounds how long running jobs may take.
    """
    stop, supervisor = stopping.asked, services.supervisor
    planning = asyncio.create_task(supervisor.once(Loop.WARM_UP, lambda: _plan(services)), name="planning")

    async def after_plan(run: Callable[[asyncio.Event], Awaitable[None]]) -> None:
        """Run a loop after recall is planned, so that its statements do not delay that plan."""
        planned, _ = await first_done(_planned(services, planning), stop.wait())
        if not stop.is_set() and not has_result(planned):
            # Connecting to the database has failed.
            await stop.wait()
        if not stop.is_set():
            await run(stop)

    loops = {
        # The worker supervises its own loops.
        asyncio.create_task(after_plan(services.worker.run), name="worker"),
        supervisor.start(Loop.REPLAY, lambda: services.replay.run(stop), stop),
        supervisor.start(Loop.ITEMS, lambda: after_plan(services.item_upkeep.run), stop),
        supervisor.start(Loop.EXPIRY, lambda: after_plan(services.message_expiry.run), stop),
        supervisor.start(Loop.ACCESS, lambda: services.memory.access.run(stop), stop),
        supervisor.start(Loop.SNAPSHOTS, lambda: services.memory.recall_snapshots.run(stop), stop),
        supervisor.start(Loop.FORGETTINGS, lambda: services.forgettings.run(stop), stop),
        supervisor.start(Loop.QUARANTINE, lambda: services.quarantine.run(stop), stop),
        supervisor.start(Loop.KEYS, lambda: services.keyring.run(stop), stop),
        supervisor.start(Loop.DATABASE_WATCH, lambda: services.database.run(stop), stop),
    }
    if hours := services.settings.automation.sync_every_h:
        schedule = SyncSchedule(
            graph=services.graph,
            sync=services.memory.sync,
            every=timedelta(hours=hours),
            clock=lambda: datetime.now(UTC),
            excluded=lambda: services.quarantine.tenants,
        )
        loops.add(supervisor.start(Loop.SYNC, lambda: after_plan(schedule.run), stop))
    warming = asyncio.create_task(supervisor.once(Loop.WARM_UP, lambda: _warm_up(services, planning)), name="warm-up")
    try:
        yield
    finally:
        stopping.ask()
        planning.cancel()
        warming.cancel()
        await in_time(lambda: _close_sessions(services), what="closing sessions")
        await asyncio.wait(loops, timeout=stopping.left_s)
        for task in loops:
            task.cancel()
        await asyncio.wait(loops, timeout=GIVE_BACK_MAX_S)


async def _plan(services: Services) -> None:
    with contextlib.suppress(MnemosceneError):
        await services.database.wait()
        await services.memory.plan_recall()


async def _planned(services: Services, planning: asyncio.Task[None]) -> None:
    """Wait until the database has answered and recall is planned, at most `PLAN_MAX_S` for the latter."""
    await services.database.wait()
    await asyncio.wait({planning}, timeout=PLAN_MAX_S)


async def _warm_up(services: Services, planning: asyncio.Task[None]) -> None:
    with contextlib.suppress(MnemosceneError):
        # Not before: Neo4j, Java's compilers and the imports use the processors until then.
        await services.database.wait()
        await services.memory.load_models()
    await asyncio.wait({planning})
    with contextlib.suppress(MnemosceneError):
        await services.memory.warm_up()
    await asyncio.to_thread(return_freed_memory)


async def _close_sessions(services: Services) -> None:
    if not services.settings.sessions.close_on_shutdown:
        return
    try:
        await services.memory.sessions.close_active()
    except Exception as error:
        # After any error, running jobs must still finish and the services be closed.
        failure = failure_of(error)
        _log.warning("sessions could not be closed and stay open: %s", failure, extra={"code": failure.code})


READY_ANSWER_MAX_S: Final = 3.0
GRAPHQL_LOADS_AFTER_S: Final = 1.0
PROMETHEUS_TEXT: Final = "text/plain; version=0.0.4; charset=utf-8"
# With less than this part of the limit on disk, messages can no longer be stored reliably.
_FULL_SHARE: Final = 0.1


def create_app(services: Services, stopping: Stopping) -> FastAPI:
    """Return the application. Its lifespan runs the background tasks; the caller closes the services.

    Args:
        stopping: once requested, new requests are refused and the worker takes no new jobs.
    """
    name = version()
    change_log, mindmap = ChangeLog(services.graph), MindMap(services.graph)
    snapshots = MapSnapshotCache(recalled=services.memory.recall_snapshots)
    hub = Hub(
        change_log,
        mindmap,
        version=name,
        snapshot_cache=snapshots,
        supervisor=services.supervisor,
        questions_seen_by=Role(services.memory.questions.seen_by),
        auto_extract=services.settings.automation.auto_extract,
    )
    services.memory.questions.listen(hub.show_question, hub.remove_questions)
    services.memory.said_listeners.append(hub.show_said)
    explorer = services.memory.reads.explorer
    communities = CommunityMaps(graph=services.graph, explorer=explorer, supervisor=services.supervisor)
    services.change_notifier.listen(hub.notify)
    services.forget_notifier.listen(hub.forget)
    services.forget_notifier.listen(communities.forget)
    auth = _auth(services)
    given = services.settings.mcp
    usual = Caller(tenant=DEFAULT_TENANT, user_id=given.user, tools=given.tools, aliases=given.aliases)
    mcp = McpEndpoint(tool_context(services), usual=usual, tenant_of=tenant_of, auth=auth)
    graphql = GraphQLEndpoint(services.memory, auth, hub.follow)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        # Before the background tasks start: they would compete for a database that has just started.
        await _load_keys(services)
        if not services.database.connected:
            # For recall and viewers, while Neo4j does not answer yet.
            await services.memory.recall_snapshots.load()
        async with working(services, stopping):
            ended = asyncio.Event()
            loops = [services.supervisor.start(Loop.MCP, lambda: mcp.run(ended), ended)]
            if (redis := services.settings.redis).url is not None:
                from graph_service.auth.shared_rates import SharedRates

                shared = SharedRates(auth.rates, redis.url, timeout_s=redis.timeout_s)
                loops.append(services.supervisor.start(Loop.RATES, lambda: shared.run(stopping.asked), stopping.asked))
            app.state.answering_since_s = time.time()
            # The first request loads it earlier if necessary.
            loading = asyncio.get_running_loop().call_later(GRAPHQL_LOADS_AFTER_S, graphql.load)
            try:
                yield
            finally:
                loading.cancel()
                stopping.ask()
                ended.set()
                await in_time(communities.close, what="finding communities")
                await asyncio.wait(loops, timeout=stopping.left_s)
                await cancel(*loops)
        await in_time(hub.close, what="watching for viewers")

    app = FastAPI(title="Mnemoscene", version=name, docs_url=None, redoc_url=None, lifespan=lifespan)
    app.state.auth = auth
    app.add_middleware(SecretFilter, kinds=services.settings.display.hidden)
    app.add_middleware(BodyLimit, bytes_max=LIMITS.body_bytes, stranger_bytes_max=LIMITS.stranger_body_bytes)
    app.add_middleware(RequestGate, auth=auth)
    app.add_middleware(HostGuard, allowed=services.settings.service.allowed_hosts)
    app.add_middleware(StopGuard, stopping=stopping)
    app.add_middleware(RequestRecord)
    install_error_handlers(app)
    app.router.routes.extend(graphql.routes())
    app.include_router(sign_in_router(auth))
    app.include_router(live_router(hub, auth=auth))
    app.include_router(rest_router(mindmap, change_log, snapshots))
    app.include_router(explore_router(explorer, communities))
    # Several clients add a slash, and do not follow a redirect of a POST.
    app.router.routes.extend(Route(path, endpoint=mcp) for path in (MCP_PATH, f"{MCP_PATH}/"))
    _add_probes(app, services, auth, hub, name)
    add_viewer(app, DIST)
    return app


def tool_context(services: Services) -> ToolContext:
    about = ServiceInfo(
        version=version(),
        reader=services.reader_name,
        embedder=services.embedder_name,
        embedder_problem=services.embedder_problem,
    )
    return ToolContext(
        memory=services.memory, about=about, clock=lambda: datetime.now(UTC), quarantine=services.quarantine
    )


def _auth(services: Services) -> Authenticator:
    service, auth = services.settings.service, services.settings.auth
    tokens = None
    if auth.takes_tokens:
        from graph_service.auth.signed_token import token_rules

        tokens = token_rules(auth)
    settings = services.settings
    known = [file_of_database(settings, name, end) for name, end in (("keys", "json"), ("snapshots", "sqlite3"))]
    return Authenticator(
        services.keyring,
        auth,
        tokens=tokens,
        audit=AuditLog(services.settings.data_dir, bytes_max=auth.audit_mb_max * 2**20),
        quarantine=services.quarantine,
        always_locked=not (is_loopback(service.host) or service.allow_unauthenticated_bind),
        read_only=service.read_only,
        before_contact=lambda: not any(file.exists() for file in known),
        session_secret=session_secret(password)
        if (password := settings.neo4j.uri and settings.neo4j.password)
        else None,
    )


async def _load_keys(services: Services) -> None:
    """Load the keys if they were never loaded; until then no key is accepted."""
    with contextlib.suppress(UnavailableError, TimeoutError):
        async with asyncio.timeout(READY_ANSWER_MAX_S):
            await services.keyring.ensure_loaded()


def _add_probes(app: FastAPI, services: Services, auth: Authenticator, hub: Hub, name: str) -> None:
    @app.get("/health", summary="Liveness: the process is up.")
    async def health() -> dict[str, str]:
        return {"status": "up", "service": "mnemoscene", "version": name}

    @app.get(
        "/ready",
        summary="Readiness: 200, or 503 with the missing component; `?deep=true` also asks the model endpoints.",
    )
    async def ready(request: Request, deep: bool = False) -> JSONResponse:
        state = await readiness(services, audit_problem=auth.audit_problem)
        authenticated = await auth.is_authenticated(request)
        if deep and authenticated:
            # Costs tokens, so it is only for callers with a credential, and asked at most once a minute.
            state["endpoints"] = await services.endpoint_health.check()
            state["degraded"] |= any(not one["answers"] for one in state["endpoints"].values())
        body = state if authenticated else {"ready": state["ready"]}
        return JSONResponse(body, status_code=200 if state["ready"] else 503)

    @app.get("/metrics", summary="Metrics in Prometheus' text format.")
    async def metrics() -> Response:
        since_s: float = app.state.answering_since_s
        module = await asyncio.to_thread(importlib.import_module, "graph_service.app.metrics_page")
        page = await module.metrics_page(services, viewers=hub.viewers, answering_since_s=since_s, name=name)
        return Response(page, media_type=PROMETHEUS_TEXT)


async def readiness(services: Services, *, audit_problem: str | None = None) -> dict[str, Any]:
    """Return the state of each component; wait for the database at most `READY_ANSWER_MAX_S`.

    `ready`, for load balancers, is true while the database answers, once the keys are loaded. A failing background loop
    only sets `degraded`: requests are answered and durable without it, it is restarted automatically, and other
    replicas would most likely fail, too. So does a language model that does not answer, since the built-in reader reads
    without it, and little space on the disk of the data directory; with almost none, messages cannot be stored, and it
    is not ready.
    """
    try:
        async with asyncio.timeout(READY_ANSWER_MAX_S):
            answers = await services.graph.answers()
    except TimeoutError:
        answers = False
    if answers:
        # If the service started before its database, load the keys now rather than at the next reload.
        await _load_keys(services)
    loops, failing = services.supervisor.statuses(), services.supervisor.failing()
    disk = await asyncio.to_thread(disk_space, services.settings.data_dir, services.settings.service.free_disk_mb_min)
    server, depth = services.database.server, await services.spool.depth()
    model = services.external_services.model
    return {
        "ready": answers and services.keyring.loaded and disk["state"] != "full",
        "degraded": not answers
        or bool(failing)
        or audit_problem is not None
        or services.embedder_problem is not None
        or model.current_failure is not None
        or disk["state"] in ("low", "full"),
        "neo4j": "up" if answers else "down" if services.graph.broken is None else "broken",
        "neo4j_problem": services.graph.broken,
        "worker": "failing" if any(name.startswith("worker") for name in failing) else "running",
        "audit_problem": audit_problem,
        "loops": {name.value: status.document() for name, status in loops.items()},
        "embedder": services.embedder_name,
        "embedder_problem": services.embedder_problem,
        "embedding_paused": len(services.quarantine.paused(JobKind.EMBED)),
        "model": services.reader_name,
        "model_problem": model.current_failure,
        "circuit_breakers": {name: one.state.value for name, one in services.external_services.configured().items()},
        "short_term": asdict(services.window.state()),
        "database": ("given" if services.settings.neo4j.uri else "local")
        if server is None
        else "local"
        if server.owned
        else "shared",
        "disk": disk,
        "spool": {"waiting": depth.waiting, "refused": depth.refused, "paused": await services.spool.paused()},
    }


def disk_space(folder: Path, free_mb_min: int) -> dict[str, Any]:
    """Return the free space in MB and its state: `ok`, `low` below the limit, `full` below a tenth of it, or `unknown`.

    Args:
        folder: a directory, which may not exist yet.
        free_mb_min: the limit in MB; 0 means none.
    """
    try:
        nearest = next(one for one in (folder, *folder.parents) if one.exists())
        free_mb = shutil.disk_usage(nearest).free // 1_000_000
    except (OSError, StopIteration):
        return {"free_mb": None, "state": "unknown"}
    state = "full" if free_mb < free_mb_min * _FULL_SHARE else "low" if free_mb < free_mb_min else "ok"
    return {"free_mb": free_mb, "state": state}
