"""Build the service's components from the settings: database, embedder, readers, memory, worker."""

import asyncio
import contextlib
import importlib
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from extraction.embeddings.cache import CachedEmbedder
from extraction.embeddings.embedder import Embedder, token_model_of
from extraction.reader import Reader
from graph_service.auth.keyring import Keyring
from graph_service.auth.quarantine import Quarantine
from graph_service.config.sections import LlmSettings
from graph_service.config.settings import Settings
from graph_service.graph.database import graph_without_server
from graph_service.graph.local_neo4j.local_server import LocalServer
from graph_service.graph.read_only_query import Caps
from graph_service.graph.schema_setup import (
    StoredEmbedder,
    embedder_problem,
    fit_embedder,
    prepare_without_embedder,
    stored_embedder,
)
from graph_service.graph.store import Graph
from graph_service.memory.analyst_queries import Analyst
from graph_service.memory.consolidation.readers import Readers
from graph_service.memory.forgetting.feed import ForgettingFeed
from graph_service.memory.ingest.spool import Spool
from graph_service.memory.ingest.spool_replay import Replay
from graph_service.memory.jobs.external_services import (
    EMBEDDER,
    FALLBACK_MODEL,
    FIRST_MODEL,
    JUDGE_MODEL,
    MODEL,
    ExternalService,
    ExternalServices,
    GuardedEmbedder,
    GuardedModel,
    StoreEmbedder,
)
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import JobKind
from graph_service.memory.mindmap.snapshot_cache import SnapshotFile
from graph_service.memory.recall.question_log import QuestionLog
from graph_service.memory.service import Memory
from graph_service.memory.sessions.short_term_window import ShortTermWindow
from graph_service.memory.worker.item_upkeep import ItemUpkeep
from graph_service.memory.worker.message_expiry import MessageExpiry
from graph_service.memory.worker.worker import Worker, WorkerRules
from graph_service.observability.progress import Step, Watcher
from graph_service.runtime.database import Database
from graph_service.runtime.models import (
    EndpointHealth,
    Probe,
    connect_embedder,
    connect_model,
    open_local_reader,
    request_limiter,
)
from graph_service.runtime.shutdown import in_time
from graph_service.runtime.spool_location import file_of_database, open_spool
from graph_service.supervision import Supervisor, cancel
from schema.errors import InstallError, UnavailableError
from schema.ids import TenantId
from schema.profile import Category
from schema.tuning import Tuning, set_tuning


def tuning_of(settings: Settings) -> Tuning:
    items_max = {category: getattr(settings.profile, f"{category.value}_max") for category in Category}
    return Tuning(**asdict(settings.facts), items_max=items_max, zone=settings.service.zone)


_Told = TypeVar("_Told")


class Notifier(Generic[_Told]):
    """Notifies all listeners in this process of an event in a tenant."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[_Told], None]] = []

    def __call__(self, tenant: _Told) -> None:
        """Call every listener; listeners must not block."""
        for listener in self._listeners:
            listener(tenant)

    def listen(self, listener: Callable[[_Told], None]) -> None:
        self._listeners.append(listener)


_MISSING: Final = (
    "traces.endpoint is set, but OpenTelemetry is not installed: `pip install 'mnemoscene-server[otel]'`, or unset"
    " MNEMOSCENE_TRACES_ENDPOINT and OTEL_EXPORTER_OTLP_ENDPOINT"
)


@contextlib.asynccontextmanager
async def traced(settings: Settings) -> AsyncIterator[None]:
    """Export traces inside the block; without a collector OpenTelemetry is not loaded.

    Raises:
        InstallError: a collector is set, but the extra `otel` is not installed.
    """
    if settings.traces.endpoint is None:
        yield
        return
    try:
        module = await asyncio.to_thread(importlib.import_module, "graph_service.observability.otel")
    except ImportError as error:
        raise InstallError(_MISSING) from error
    stop = module.start_tracing(settings.traces)
    try:
        yield
    finally:
        await asyncio.to_thread(stop)


if TYPE_CHECKING:
    from extraction.llm.language_model import LanguageModel
    from extraction.openai_api.embedder import OpenAIEmbedder
    from extraction.openai_api.request_limiter import RequestLimiter

_log = logging.getLogger(__name__)

_EMBEDDER: Final = "embedder"


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The components of a running service.

    Attributes:
        change_notifier: called after commits that extend a tenant's change log.
        forget_notifier: called after data of a tenant was forgotten, by any process; with None for all tenants.
        forgettings: follows what other processes forget, and whether the embedder fits the database.
        supervisor: restarts the background loops and reports their state.
        database: the connection to the database, which may complete after the service has started.
        reader_name: the model that reads scenes, or `rules`.
        limiters: limits of the configured endpoints, by name.
        endpoint_health: asks the configured endpoints whether they answer.
    """

    settings: Settings
    database: Database
    graph: Graph
    spool: Spool
    replay: Replay
    embedder: Embedder | None
    reader_name: str
    memory: Memory
    worker: Worker
    item_upkeep: ItemUpkeep
    message_expiry: MessageExpiry
    window: ShortTermWindow
    external_services: ExternalServices
    limiters: Mapping[str, "RequestLimiter"]
    endpoint_health: EndpointHealth
    keyring: Keyring
    quarantine: Quarantine
    change_notifier: Notifier[str]
    forget_notifier: Notifier[str | None]
    forgettings: ForgettingFeed
    supervisor: Supervisor
    exit_stack: AsyncExitStack = field(repr=False)

    @property
    def embedder_name(self) -> str:
        """The name of the embedding model, or `none`."""
        return self.embedder.name if self.embedder else "none"

    @property
    def embedder_problem(self) -> str | None:
        """The reason for which a configured embedder is missing or must not be used here; None if it works."""
        return self.external_services.embedder.problem

    @property
    def shares_database(self) -> bool:
        """True if another Mnemoscene process runs the local Neo4j and the worker."""
        return self.database.server is not None and not self.database.server.owned

    async def work_left(self, tenant: TenantId) -> int:
        """Return the number of waiting jobs of a tenant that this worker can do.

        Embedding jobs do not count without an embedder or while paused, refining jobs without a model, and no jobs
        while the tenant is in quarantine.
        """
        if tenant in self.quarantine.tenants:
            return 0
        backlog = await self.memory.backlog(tenant)
        embeds = self.embedder_problem is None and tenant not in self.quarantine.paused(JobKind.EMBED)
        kinds = tuple(kind for kind in self.worker.kinds if embeds or kind is not JobKind.EMBED)
        doable, _ = await self.worker.pending(kinds)
        return min(backlog.waiting + backlog.leased, doable)

    async def close(self) -> None:
        """Close everything in reverse order of opening."""
        await self.exit_stack.aclose()


async def open_services(
    settings: Settings,
    *,
    on_progress: Watcher,
    starting: "asyncio.Task[LocalServer] | None",
    wait: bool = True,
) -> Services:
    """Open all components; the database and the embedder start concurrently.

    Args:
        starting: start of the local Neo4j, begun before this module was loaded; None if a server is configured.
        wait: wait for the database; if it does not answer, it is not `connected`, messages are spooled, and questions
            are answered from the spool and the last snapshot. Otherwise `database` reports when it is, and errors.

    Raises:
        InstallError: the operator must change something.
        ConflictError: an unknown process uses the data directory.
    """
    closing = AsyncExitStack()
    external_services = ExternalServices()
    embedding = asyncio.create_task(_open_embedder(settings, external_services.embedder, on_progress))
    try:
        await closing.enter_async_context(traced(settings))
        graph = graph_without_server(settings.neo4j.database if settings.neo4j.uri else None)
        quarantine = Quarantine(graph, file=file_of_database(settings, "quarantine", "json"))
        await quarantine.load_copy()

        async def prepare(new: Graph) -> None:
            # Load the quarantine before the first request and job: it survives restarts.
            await asyncio.gather(quarantine.load(new), fit(new))

        async def fit(new: Graph) -> None:
            opened = await asyncio.shield(embedding)
            if opened.embedder is None:
                await prepare_without_embedder(new)
                external_services.embedder.problem = opened.problem
                return
            identity, change = _identity(opened, await stored_embedder(new)), settings.embedding.change_embedder
            external_services.embedder.problem = await fit_embedder(new, identity, service=not wait, change=change)

        database = Database(
            settings=settings,
            graph=graph,
            starting=starting,
            prepare=prepare,
            on_progress=on_progress,
            patient=not wait,
        )
        closing.push_async_callback(database.stop_server)
        closing.push_async_callback(in_time, graph.close, what="the connection to Neo4j")
        closing.push_async_callback(database.close)
        database.begin()
        if wait:
            try:
                await database.wait()
            except UnavailableError as error:
                _log.warning("Neo4j is not available: %s", error)
        opened = await embedding
        return await _assemble(settings, database, quarantine, opened, external_services, closing)
    except BaseException:
        await cancel(embedding)
        await closing.aclose()
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class _OpenedEmbedder:
    """The embedder, or the reason there is none.

    Attributes:
        endpoint: set if the dimension may be a guess until the stored vectors are known.
        limiters: limits of the endpoint, by its name.
        probes: asks the endpoint whether it answers, by its name.
    """

    embedder: Embedder | None = None
    problem: str | None = None
    endpoint: "OpenAIEmbedder | None" = None
    probes: Mapping[str, Probe] = field(default_factory=dict)
    limiters: Mapping[str, "RequestLimiter"] = field(default_factory=dict)


def _identity(opened: _OpenedEmbedder, stored: StoredEmbedder | None) -> StoredEmbedder:
    """Return the identity of the vectors that the embedder of this process makes.

    A guessed dimension is replaced by the stored one of the same model; a wrong guess would delete every vector.
    """
    assert opened.embedder is not None
    endpoint = opened.endpoint
    if endpoint is not None and endpoint.dim_guessed and stored is not None and stored.model == endpoint.name:
        endpoint.dim = stored.dim
    return StoredEmbedder(opened.embedder.name, opened.embedder.dim, token_model_of(opened.embedder))


async def _open_embedder(settings: Settings, service: ExternalService, on_progress: Watcher) -> _OpenedEmbedder:
    """Return the configured embedder, or why it is missing; recall then uses keyword search only."""
    embedding = settings.embedding
    if embedding.resolved_kind == "none":
        return _OpenedEmbedder()

    def report(doing: str, share: float) -> None:
        on_progress(Step(part=_EMBEDDER, doing=doing, done=round(share * 100), total=100, unit="%"))

    if embedding.resolved_kind == "openai":
        limiter = request_limiter(embedding)
        endpoint = await connect_embedder(embedding, limiter)
        # The cache wraps the breaker, so cached texts are embedded while the endpoint is down.
        guarded = GuardedEmbedder(endpoint, service)
        cached = StoreEmbedder(guarded, service)

        async def ask() -> None:
            await guarded.embed(["Do you answer?"])

        return _OpenedEmbedder(embedder=cached, endpoint=endpoint, limiters={EMBEDDER: limiter}, probes={EMBEDDER: ask})
    from extraction.embeddings.local_embedder import load_local_embedder

    try:
        embedder = await load_local_embedder(
            cache_dir=settings.cache_dir,
            threads=embedding.threads,
            precision=embedding.precision,
            with_answers=embedding.answer_scores,
            with_tags=embedding.fact_tags,
            on_progress=report,
        )
    except InstallError as error:
        return _OpenedEmbedder(problem=error.message)
    return _OpenedEmbedder(embedder=StoreEmbedder(embedder, service))


async def _models(
    llm: LlmSettings, external_services: ExternalServices, limiters: dict[str, "RequestLimiter"]
) -> "tuple[LanguageModel, LanguageModel]":
    """Return the model that reads scenes and the one that judges facts, each with what replaces it in an outage."""
    from graph_service.memory.jobs.external_services import FallbackModel, ThrottledModel

    async def endpoint(section: LlmSettings, name: str) -> ThrottledModel:
        connected = await connect_model(section, limiters.setdefault(name, request_limiter(llm)))
        return ThrottledModel(connected, clock_s=time.monotonic)

    first = await endpoint(llm, MODEL)
    main = GuardedModel(first, external_services.model)
    if llm.fallback_model is not None:
        fallback = replace(llm, model=llm.fallback_model)
        if llm.fallback_base_url is not None or llm.fallback_vendor is not None:
            # The key of the first endpoint is sent only to its own address.
            address, key = llm.fallback_base_url, llm.fallback_api_key
            fallback = replace(fallback, base_url=address, api_key=key, vendor=llm.fallback_vendor)
        second = await endpoint(fallback, FALLBACK_MODEL)
        both = FallbackModel(
            GuardedModel(first, external_services.endpoint(FIRST_MODEL)),
            GuardedModel(second, external_services.endpoint(FALLBACK_MODEL)),
        )
        main = GuardedModel(both, external_services.model)
    if llm.judge_model is None:
        return main, main
    smaller = await endpoint(replace(llm, model=llm.judge_model), MODEL)
    guarded = GuardedModel(smaller, external_services.endpoint(JUDGE_MODEL))
    return main, FallbackModel(guarded, main)


async def _readers(
    settings: Settings,
    read_by_rules: Reader,
    external_services: ExternalServices,
    limiters: dict[str, "RequestLimiter"],
    probes: dict[str, Probe],
) -> tuple[Readers, str]:
    from extraction.rules.rule_reader import READER_NAME

    llm, automation = settings.llm, settings.automation
    if llm.model is None:
        rules = Readers(
            first=read_by_rules,
            fallback=read_by_rules,
            extracts=automation.auto_extract,
            layers_every=automation.generate_layers_every_n_messages,
        )
        return rules, READER_NAME
    from extraction.llm.answer_writer import model_answer_writer
    from extraction.llm.fact_judge import model_fact_judge
    from extraction.llm.health_check import ask_model
    from extraction.llm.reader_chain import model_chain
    from extraction.llm.summary_writer import model_layer_writer, model_session_writer

    guarded, judge = await _models(llm, external_services, limiters)
    probes[MODEL] = lambda: ask_model(guarded)
    if llm.judge_model is not None:
        probes[JUDGE_MODEL] = lambda: ask_model(judge)
    readers = Readers(
        first=model_chain(guarded, read_by_rules),
        fallback=read_by_rules,
        tokens_per_day=llm.tokens_per_day,
        waits_for_ripe=True,
        extracts=automation.auto_extract,
        layers_every=automation.generate_layers_every_n_messages,
        writer=model_layer_writer(guarded) if llm.overviews else None,
        session_writer=model_session_writer(guarded) if llm.overviews else None,
        answer_writer=model_answer_writer(guarded),
        judge=model_fact_judge(judge) if llm.judge_facts else None,
        note_usefulness=external_services.model.note_usefulness,
    )
    return readers, llm.model


async def _window(settings: Settings, supervisor: Supervisor) -> ShortTermWindow:
    """Return the short-term window; the service also starts while Redis does not answer."""
    limits, redis = settings.window, settings.redis
    sessions_max, bytes_max = limits.process_sessions, limits.process_mb * 2**20
    if redis.url is None:
        alone = settings.neo4j.uri is None
        return ShortTermWindow(turns_max=limits.turns, sessions_max=sessions_max, bytes_max=bytes_max, complete=alone)
    from graph_service.memory.sessions.redis_window import RedisRules, RedisTurns, RedisWindow

    rules = RedisRules(
        timeout_s=redis.timeout_s, connections=redis.connections, turns_max=limits.turns, ttl_s=limits.ttl_s
    )
    window = RedisWindow(
        redis=RedisTurns(redis.url, rules),
        clock_s=time.monotonic,
        turns_max=limits.turns,
        sessions_max=sessions_max,
        bytes_max=bytes_max,
        supervisor=supervisor,
    )
    await window.check()
    return window


async def _assemble(
    settings: Settings,
    database: Database,
    quarantine: Quarantine,
    opened: _OpenedEmbedder,
    external_services: ExternalServices,
    closing: AsyncExitStack,
) -> Services:
    embedder, graph = opened.embedder, database.graph
    set_tuning(tuning_of(settings))
    changed, forgotten = Notifier[str](), Notifier[str | None]()
    caps, supervisor = settings.analyst, Supervisor()
    if isinstance(embedder, CachedEmbedder):
        forgotten.listen(lambda _tenant: embedder.clear())
    limiters = dict(opened.limiters)
    probes = dict(opened.probes)
    read_by_rules = await open_local_reader(settings, closing)
    readers, reader_name = await _readers(settings, read_by_rules, external_services, limiters, probes)
    job_context = JobContext(
        clock=_now, random_token=lambda: secrets.token_hex(8), on_step=_log.debug, on_change=changed
    )
    automation = settings.automation
    rules = WorkerRules(
        idle_s=settings.sessions.idle_s,
        index=automation.auto_index,
        index_on_message=automation.index_on_message,
        index_on_close=automation.index_on_close,
    )
    worker = Worker(
        graph=graph,
        embedder=embedder,
        readers=readers,
        job_context=job_context,
        external_services=external_services,
        rules=rules,
        supervisor=supervisor,
        paused_tenants=quarantine.paused,
    )
    changed.listen(lambda _tenant: worker.wake())
    item_upkeep = ItemUpkeep(
        graph, embedder=embedder if automation.auto_index else None, clock=_now, paused=quarantine.paused
    )
    window = await _window(settings, supervisor)
    closing.push_async_callback(window.close)
    spool = open_spool(settings)
    closing.push_async_callback(spool.close)
    replay = Replay(graph=graph, spool=spool, job_context=job_context)

    def on_return() -> None:
        replay.wake()
        worker.wake()

    database.on_return = on_return
    questions = QuestionLog(kept_max=settings.recall.questions_kept, seen_by=settings.recall.questions_seen_by)
    snapshot_file = SnapshotFile(file_of_database(settings, "snapshots", "sqlite3"))
    memory = Memory(
        graph=graph,
        embedder=embedder,
        no_embedder=opened.problem,
        read=read_by_rules,
        clock=_now,
        notify=changed,
        worker=worker,
        window=window,
        spool=spool,
        snapshot_file=snapshot_file,
        tokens_per_day=settings.llm.tokens_per_day,
        model_problem=lambda: external_services.model.current_failure,
        recall_settings=settings.recall,
        on_forgotten=forgotten,
        on_items=item_upkeep.wake,
        questions=questions,
        analyst=Analyst(graph, Caps(timeout_s=caps.timeout_s, rows=caps.rows_max, bytes=caps.mb_max * 2**20)),
    )
    # Also in commands: what they forget must not stay on disk.
    forgotten.listen(memory.recall_snapshots.forget)
    forgotten.listen(memory.forget_compared)

    def check_embedder(stored: StoredEmbedder | None) -> None:
        # Another process may have changed it.
        if opened.embedder is not None:
            external_services.embedder.problem = embedder_problem(stored, _identity(opened, stored))

    forgettings = ForgettingFeed(
        graph=graph,
        drop=forgotten,
        window=window,
        questions=questions,
        snapshots=snapshot_file,
        on_embedder=check_embedder,
    )
    return Services(
        settings=settings,
        database=database,
        graph=graph,
        spool=spool,
        replay=replay,
        embedder=embedder,
        reader_name=reader_name,
        memory=memory,
        worker=worker,
        item_upkeep=item_upkeep,
        message_expiry=MessageExpiry(graph, memory.forgetting, clock=_now, paused=quarantine.paused),
        window=window,
        external_services=external_services,
        limiters=limiters,
        endpoint_health=EndpointHealth(probes),
        keyring=Keyring(graph, file=file_of_database(settings, "keys", "json")),
        quarantine=quarantine,
        change_notifier=changed,
        forget_notifier=forgotten,
        forgettings=forgettings,
        supervisor=supervisor,
        exit_stack=closing,
    )


def _now() -> datetime:
    return datetime.now(UTC)
