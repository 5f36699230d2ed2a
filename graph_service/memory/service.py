"""`Memory`: the one handle of all doors; a method for each use case, no logic of its own."""

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial

from extraction.embeddings.embedder import Embedder
from graph_service.graph.store import Graph
from graph_service.memory.analyst_queries import Analyst
from graph_service.memory.change_log.log import ChangeLog
from graph_service.memory.consolidation.token_budget import UsageReport, read_again, usage
from graph_service.memory.context_builder.builder import Context, Wanted, context
from graph_service.memory.curation.facts import Facts
from graph_service.memory.curation.statements import Statements
from graph_service.memory.entity_resolution.duplicate_candidates import DuplicatePair
from graph_service.memory.entity_resolution.listing import EntityListed, list_entities, suggested_merges
from graph_service.memory.entity_resolution.merge import MergeResult, merge_entities, reject_merge, split_entity
from graph_service.memory.export_import.service import Carrying
from graph_service.memory.forgetting.service import Forgetting
from graph_service.memory.ingest.episode_writer import Receipt, store_or_spool
from graph_service.memory.ingest.spool import Spool, SpoolAdmin
from graph_service.memory.ingest.validation import RememberRequest, check_request
from graph_service.memory.instrumentation import used
from graph_service.memory.jobs import outbox
from graph_service.memory.jobs.dead_letters import DeadLetters
from graph_service.memory.mindmap.graph_queries import GraphReads
from graph_service.memory.mindmap.node_search import Nodes
from graph_service.memory.mindmap.reader import MindMap
from graph_service.memory.mindmap.snapshot_cache import RecallSnapshotCache
from graph_service.memory.recall.access_log import AccessLog
from graph_service.memory.recall.offline_recall import OfflineRecall
from graph_service.memory.recall.pipeline import Answer, recall, with_evidence
from graph_service.memory.recall.query import Question
from graph_service.memory.recall.result_page import AS_MEASURED, OrderRules
from graph_service.memory.repair.repair import Progress, Sync, SyncReport
from graph_service.memory.sessions.in_process_window import InProcessWindow, TurnBuffer
from graph_service.memory.sessions.lifecycle import Sessions
from graph_service.memory.sessions.recent_turns import hints_for, last_turns, refers_back
from graph_service.memory.sessions.short_term_window import (
    RecentTurns,
    SessionKey,
    ShortTermWindow,
    session_key_of,
    turn_from_message,
)
from graph_service.memory.summaries.service import LayerTexts, Refresh
from graph_service.observability.metrics import Use
from schema.errors import UnavailableError
from schema.ids import MemoryId, SessionId, TenantId, UserId
from schema.timespan import millis


class Memory:
    """What agents, people and commands can do with the memories of all tenants.

    Args:
        embedder: None means keyword search only.
        clock: aware UTC now.
        notify: called with the tenant after each commit that stored messages; wakes the worker and the viewers.
        refresh: brings the layer texts of one session up to date; None leaves that to a worker elsewhere.
        window: the last turns of each session; None means one of its own, in this process.
        spool: takes messages while Neo4j is away; None refuses them then.
        tokens_per_day: the budget that `usage` tells; 0 means none.
        rules: how questions are answered that do not say it themselves.
        on_forgotten: called with the tenant when something was forgotten: drops what this process keeps of it.
        analyst: answers statements of analysts; None means with the usual bounds.
    """

    def __init__(
        self,
        *,
        graph: Graph,
        embedder: Embedder | None,
        clock: Callable[[], datetime],
        notify: Callable[[str], None],
        refresh: Refresh | None = None,
        window: ShortTermWindow | None = None,
        spool: Spool | None = None,
        tokens_per_day: int = 0,
        rules: OrderRules = AS_MEASURED,
        on_forgotten: Callable[[str], None] = lambda _tenant: None,
        analyst: Analyst | None = None,
    ) -> None:
        self._tokens_per_day = tokens_per_day
        self._graph = graph
        self._embedder = embedder
        self._rules = rules
        self._clock = clock
        self._notify = notify
        self._window = window or InProcessWindow(TurnBuffer(turns_max=20))
        self._spool = spool
        self.spool_admin = SpoolAdmin(spool)
        self.forgetting = Forgetting(
            graph, window=self._window, spool=spool, clock=clock, notify=notify, on_forgotten=on_forgotten
        )
        self.dead_letters = DeadLetters(graph)
        self.access = AccessLog(graph)
        self.analyst = analyst or Analyst(graph)
        self.sessions = Sessions(graph, clock=clock, notify=notify)
        self.layers = LayerTexts(graph, refresh=refresh, clock=clock)
        self.facts = Facts(graph, clock=clock, notify=notify)
        self.nodes = Nodes(graph, clock=clock)
        self.carrying = Carrying(graph, clock=clock, notify=notify)
        self.changes = ChangeLog(graph)
        self.mindmap = MindMap(graph)
        self.reads = GraphReads(graph)
        self.keepsakes = RecallSnapshotCache(self.changes, self.mindmap)
        self.statements = Statements(
            graph, remember=self.remember, refresh=refresh, forgetting=self.forgetting, clock=clock
        )
        self._away = OfflineRecall(spool, self.keepsakes)

    @used(Use.REMEMBER)
    async def remember(self, tenant: TenantId, incoming: RememberRequest) -> Receipt:
        """Store messages; return when they are durable, before anything is read from them.

        Raises:
            InputError: listing every mistake; nothing was stored.
            ConflictError: a message id is taken by other words; nothing was stored.
            UnavailableError: neither Neo4j nor the spool takes them; the same call may be repeated.
        """
        checked = check_request(tenant, incoming, now=self._clock())
        receipt = await store_or_spool(self._graph, self._spool, checked, epoch=secrets.token_hex(4))
        self._window.add(
            session_key_of(checked.episode), [turn_from_message(message) for message in checked.episode.messages]
        )
        self.sessions.note_messages(tenant, receipt.session_uri)
        self.keepsakes.want(tenant, incoming.user_id)
        if not receipt.spooled:
            self._notify(tenant)
        return receipt

    @used(Use.RECALL)
    async def recall(self, tenant: TenantId, question: Question) -> Answer:
        """Return what one user's memory holds about a question, best first.

        Raises:
            InputError: the question cannot be asked like this.
            UnavailableError: Neo4j does not answer, and nothing of this memory is on disk or in a snapshot.
        """
        answer = await self._answer(tenant, question)
        answer = await with_evidence(self._graph, tenant, question.user_id, answer)
        if not answer.degraded:
            used = [(hit.candidate.kind, hit.candidate.id) for hit in answer.hits]
            self.access.note(tenant, question.user_id, used, at=self._clock())
        return answer

    async def _answer(self, tenant: TenantId, question: Question) -> Answer:
        """Return the answer of the database or, while that is away, of what is on disk and in the last snapshot."""
        hints = await self._hints(tenant, question)
        now = self._clock()
        try:
            answer = await recall(
                self._graph, self._embedder, tenant, question, now=now, hints=hints, rules=self._rules
            )
        except UnavailableError as error:
            return await self._away.recall(tenant, question, error, now=now)
        self.keepsakes.want(tenant, question.user_id)
        return answer

    @used(Use.CONTEXT)
    async def context(self, tenant: TenantId, wanted: Wanted) -> Context:
        """Return what an agent should know of a user before it answers, in so many tokens.

        Raises:
            InputError: the question cannot be asked like this, or the budget is out of bounds.
            UnavailableError: Neo4j does not answer, and nothing of this memory is on disk or in a snapshot.
        """
        now = self._clock()
        found = await context(self._graph, tenant, wanted, now=now, ask=partial(self._answer, tenant))
        if not found.degraded:
            self.access.note(tenant, wanted.user_id, found.used, at=now)
        return found

    async def _hints(self, tenant: TenantId, question: Question) -> tuple[str, ...]:
        """Return names said last in the conversation, for a question that leans on them; the database is not asked."""
        if question.session_id is None or not refers_back(question.text):
            return ()
        talk = SessionKey(tenant=tenant, user_id=UserId(question.user_id), session_id=SessionId(question.session_id))
        heard = await self._window.turns(talk)
        return await asyncio.to_thread(hints_for, question.text, heard.turns)

    async def short_term(self, tenant: TenantId, user_id: str, session_id: str, *, turns: int) -> RecentTurns:
        """Return the last turns of a session, oldest first, and where they came from.

        Raises:
            InputError: there cannot be such a session, or not so many turns.
            UnavailableError: the window holds nothing and Neo4j does not answer.
        """
        talk = SessionKey(tenant=tenant, user_id=UserId(user_id), session_id=SessionId(session_id))
        return await last_turns(self._graph, self._window, talk, turns=turns)

    async def read_again(self, tenant: TenantId, user_id: str, *, scenes: int) -> int:
        """Have scenes read by the model that the rules read because the day's tokens were spent; how many.

        Raises:
            InputError: `scenes` is out of bounds.
        """
        now_ms = millis(self._clock())
        asked = await read_again(self._graph, tenant, user_id, scenes_max=scenes, now_ms=now_ms)
        self._notify(tenant)
        return asked

    async def usage(self, tenant: TenantId, *, days: int) -> UsageReport:
        """Return what reading by a model cost a tenant, day by day.

        Raises:
            InputError: `days` is out of bounds.
        """
        budget = self._tokens_per_day
        return await usage(self._graph, tenant, days=days, tokens_per_day=budget, now=self._clock())

    async def entities(
        self, tenant: TenantId, user_id: str, *, limit: int = 100, after: str | None = None
    ) -> list[EntityListed]:
        """Return the entities of one user's memory, the most recently named first; `after` is the cursor of one.

        Raises:
            InputError: the limit or the cursor cannot be used.
        """
        return await list_entities(self._graph, tenant, user_id, limit=limit, after=after)

    async def merge_entities(self, tenant: TenantId, keep_id: str, merge_id: str, reason: str) -> MergeResult:
        """Let one node of the map stand for two entities of one user, until `split_entity` takes it back.

        Raises:
            InputError: there is no reason, or the two are one.
            NotFoundError: the tenant has no such entity.
            ConflictError: they cannot be merged.
            UnavailableError: Neo4j does not answer.
        """
        done = await merge_entities(self._graph, tenant, keep_id, merge_id, reason, at=self._clock())
        self._notify(tenant)
        return done

    async def split_entity(self, tenant: TenantId, entity_id: str) -> MergeResult:
        """Take a merge back: by the id of the merge, or of the entity that was merged.

        Raises:
            NotFoundError: the tenant has no such entity.
            ConflictError: it is not merged.
            UnavailableError: Neo4j does not answer.
        """
        done = await split_entity(self._graph, tenant, entity_id, at=self._clock())
        self._notify(tenant)
        return done

    async def reject_merge(self, tenant: TenantId, a_id: str, b_id: str, reason: str) -> MemoryId:
        """Remember that two entities of one user are two.

        Raises:
            InputError: there is no reason, or the two are one.
            NotFoundError: the tenant has no such entity.
            ConflictError: they are no entities of one user, or somebody merged them.
            UnavailableError: Neo4j does not answer.
        """
        done = await reject_merge(self._graph, tenant, a_id, b_id, reason, at=self._clock())
        self._notify(tenant)
        return done

    async def suggested_merges(self, tenant: TenantId, user_id: str | None, *, limit: int = 20) -> list[DuplicatePair]:
        """Return pairs of entities that may be one, the likeliest first; nothing is merged.

        Raises:
            InputError: the limit is out of bounds, or there can be no such user.
            UnavailableError: Neo4j does not answer.
        """
        return await suggested_merges(self._graph, tenant, user_id, limit=limit)

    async def warm_up(self) -> None:
        """Have the database plan recall, about a tenant nobody has, so that nobody's first question waits for it.

        Planning the statement takes seconds on a Neo4j that has just started, and again for questions without a vector.
        """
        with contextlib.suppress(UnavailableError):
            for text in ("warm up", "热身"):
                question = Question(user_id="nobody", text=text, evidence=1)
                await recall(self._graph, self._embedder, TenantId("nobody"), question, now=self._clock())

    async def retry_work(self, tenant: TenantId, ids: Sequence[str] | None) -> int:
        """Have given up work done again, all of it for None; return how much.

        Raises:
            NotFoundError: an id names no dead letter of this tenant; nothing was changed.
        """
        retried = await self.dead_letters.retry(tenant, ids, now_ms=round(self._clock().timestamp() * 1000))
        self._notify(tenant)
        return retried

    async def sync(self, tenant: TenantId, *, dry_run: bool = False, on_progress: Progress | None = None) -> SyncReport:
        """Compare all of a tenant's texts, vectors, scenes, facts and work, and mend what does not fit together.

        Raises:
            UnavailableError: Neo4j does not answer; what was mended stays mended.
        """
        sync = Sync(self._graph, tenant, now=self._clock(), dry_run=dry_run, on_progress=on_progress)
        report = await sync.run()
        self._notify(tenant)
        return report

    async def backlog(self, tenant: TenantId) -> outbox.Backlog:
        """Return how much work of a tenant is not done yet."""
        kinds = outbox.supported_kinds(embedder=self._embedder is not None)
        return await outbox.backlog(self._graph, tenant, kinds)
