"""`Memory`, the facade that GraphQL, MCP and the command line call: one method per use case, without logic."""

import asyncio
import contextlib
import functools
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final, ParamSpec, TypeVar

from extraction.embeddings.embedder import AnswerScorer, Embedder
from extraction.reader import Reader
from extraction.rules.rule_reader import read_by_rules
from graph_service.config.sections import RecallSettings
from graph_service.graph.store import Graph
from graph_service.memory.analyst_queries import Analyst
from graph_service.memory.change_log.log import ChangeLog
from graph_service.memory.consolidation.provided_outcome import provided_outcome
from graph_service.memory.consolidation.readers import UsageReport, reextract_scenes, usage
from graph_service.memory.context_builder.builder import Context, ContextRequest, context
from graph_service.memory.curation.facts import Facts
from graph_service.memory.curation.review import Review
from graph_service.memory.curation.statements import Statements
from graph_service.memory.entity_resolution.listing import Entities
from graph_service.memory.entity_resolution.merge import Merges
from graph_service.memory.export_import.service import TenantTransfer
from graph_service.memory.facts.stored import StoredFactEvent, fact_events
from graph_service.memory.forgetting.service import Forgetting
from graph_service.memory.ingest.episode_writer import Receipt, store_or_spool
from graph_service.memory.ingest.spool import Spool
from graph_service.memory.ingest.validation import RememberRequest, check_request
from graph_service.memory.items.store import Items
from graph_service.memory.jobs import outbox
from graph_service.memory.jobs.outbox import DeadLetters, JobKind
from graph_service.memory.messages.log import MessageLog
from graph_service.memory.mindmap.graph_queries import GraphReads, Nodes
from graph_service.memory.mindmap.reader import MindMap
from graph_service.memory.mindmap.snapshot_cache import RecallSnapshotCache, SnapshotFile
from graph_service.memory.profile.reader import person_layer
from graph_service.memory.recall.access_log import AccessLog
from graph_service.memory.recall.cited_answer import SOURCES_MAX, CitedAnswer, cited_answer
from graph_service.memory.recall.offline_recall import OfflineRecall
from graph_service.memory.recall.pipeline import (
    Answer,
    TextBudget,
    plan_recall,
    recall,
    with_evidence,
    within_budget,
)
from graph_service.memory.recall.query import HitKind, Question
from graph_service.memory.recall.question_hits import SeenQuestion, seen_questions
from graph_service.memory.recall.question_log import (
    BY_SERVICE,
    HITS_MAX,
    TEXT_CHARS_MAX,
    AskedQuestion,
    Asker,
    GivenContext,
    QuestionKind,
    QuestionLog,
    found_elements,
)
from graph_service.memory.recall.ranking_modes import DEFAULTS
from graph_service.memory.recall.recall_cases import cases_document, judge, judged_hits
from graph_service.memory.repair.repair import Sync, SyncReport
from graph_service.memory.sessions.lifecycle import Sessions
from graph_service.memory.sessions.short_term_window import (
    RecentTurns,
    SessionKey,
    ShortTermWindow,
    Turn,
    hints_for,
    last_turns,
    refers_back,
    says_just_now,
    turn_from_message,
)
from graph_service.memory.summaries.service import LayerTexts
from graph_service.memory.worker.worker import Worker
from graph_service.observability.metrics import (
    MESSAGES,
    OPERATION_SECONDS,
    RECALL_CONFIDENCE,
    RECALLS,
    REJECTED,
    Operation,
)
from graph_service.observability.spans import span
from schema.errors import InputError, MnemosceneError, NotFoundError, UnavailableError
from schema.ids import SessionId, TenantId, UserId
from schema.timespan import millis

P = ParamSpec("P")
T = TypeVar("T")


def measured(operation: Operation) -> Callable[[Callable[P, Awaitable[T]]], Callable[P, Coroutine[Any, Any, T]]]:
    """Return a decorator that records the duration, outcome and result of a use case, and traces it."""

    def around(work: Callable[P, Awaitable[T]]) -> Callable[P, Coroutine[Any, Any, T]]:
        @functools.wraps(work)
        async def timed(*args: P.args, **kwargs: P.kwargs) -> T:
            outcome, started_s = "failed", time.perf_counter()
            try:
                with span(operation.value):
                    answer = await work(*args, **kwargs)
                outcome = "done"
            except MnemosceneError as error:
                outcome = "refused" if error.http_status < 500 else "failed"
                raise
            finally:
                OPERATION_SECONDS.note(time.perf_counter() - started_s, operation, outcome)
            count(answer)
            return answer

        return timed

    return around


def count(answer: object) -> None:
    """Count a result in the metrics."""
    match answer:
        case Receipt():
            MESSAGES.add("spool" if answer.spooled else "neo4j", n=answer.stored)
        case Answer(degraded=True):
            RECALLS.add("degraded")
        case Answer():
            RECALLS.add("none" if answer.nothing_relevant else "relevant")
            RECALL_CONFIDENCE.note(answer.confidence or 0.0)


# Turns that "just now" is about.
_LAST_TURNS: Final = 10
# So that the last turn itself is in the past.
_AFTER_LAST_TURN: Final = timedelta(seconds=1)


def _session_of(tenant: TenantId, user_id: str, session_id: str) -> SessionKey:
    return SessionKey(tenant=tenant, user_id=UserId(user_id), session_id=SessionId(session_id))


class Memory:
    """All operations on the memories of all tenants.

    Everything that takes ids, numbers, cursors or questions raises `InputError` for malformed ones, in which it lists
    all problems; docstrings here and in the parts say so only where something else may be wrong too.

    Args:
        embedder: None means keyword search only.
        worker: reads sessions, updates their summaries and writes answers when a call needs them at once.
        spool: stores messages while Neo4j is unavailable.
        clock: aware UTC now.
        notify: called with the tenant after each commit; wakes the worker and the viewers.
        window: the last turns of each session; None keeps them in this process.
        snapshot_file: keeps snapshots for a start without Neo4j; None keeps none.
        tokens_per_day: the budget that `usage` reports; 0 means none.
        model_problem: returns why the language model refines nothing now; None if it does, or if there is none.
        recall_settings: weights and mode of the ranking; a question may choose another mode.
        on_forgotten: called with the tenant after something was forgotten; clears the caches of this process.
        on_items: called after items were stored; wakes what embeds them.
        analyst: runs read-only statements; None means one with the default limits.
        questions: keeps the latest questions; None keeps none.
        no_embedder: why `embedder` is None; None if none is configured.
        read: reads the words with which a fact is edited.
    """

    def __init__(
        self,
        *,
        graph: Graph,
        embedder: Embedder | None,
        worker: Worker,
        spool: Spool,
        clock: Callable[[], datetime],
        notify: Callable[[str], None],
        window: ShortTermWindow | None = None,
        snapshot_file: SnapshotFile | None = None,
        tokens_per_day: int = 0,
        model_problem: Callable[[], str | None] = lambda: None,
        recall_settings: RecallSettings = DEFAULTS,
        on_forgotten: Callable[[str], None] = lambda _tenant: None,
        on_items: Callable[[], None] = lambda: None,
        analyst: Analyst | None = None,
        questions: QuestionLog | None = None,
        no_embedder: str | None = None,
        read: Reader = read_by_rules,
    ) -> None:
        self.questions = questions or QuestionLog(kept_max=0)
        # Called with tenant, user and session after messages were stored; must not block.
        self.said_listeners: list[Callable[[str, str, str], None]] = []
        self._tokens_per_day = tokens_per_day
        self._worker = worker
        self._model_problem = model_problem
        self._graph = graph
        self._embedder = embedder
        self._no_embedder = no_embedder or "no embedder is configured"
        self._recall_settings = recall_settings
        self._clock = clock
        self._notify = notify
        self._window = window or ShortTermWindow(turns_max=20)
        self.spool = spool
        self.forgetting = Forgetting(
            graph=graph,
            window=self._window,
            spool=spool,
            clock=clock,
            erase_user=worker.erase_user,
            notify=notify,
            on_forgotten=on_forgotten,
            questions=self.questions,
        )
        self.items = Items(graph=graph, embedder=embedder, clock=clock, written=on_items)
        self.dead_letters = DeadLetters(graph)
        self.access = AccessLog(graph)
        self.analyst = analyst or Analyst(graph)
        self.sessions = Sessions(
            graph=graph, clock=clock, notify=notify, index_now=worker.index_session, embeds=embedder is not None
        )
        self.layers = LayerTexts(
            graph=graph,
            refresh=worker.refresh_layers,
            summarize=worker.summarize_session,
            person=partial(person_layer, graph, clock),
        )
        self.facts = Facts(graph, clock=clock, notify=notify)
        self.nodes = Nodes(graph)
        self.merges = Merges(graph, clock=clock, notify=notify)
        self.transfer = TenantTransfer(graph, clock=clock, notify=notify)
        self.changes = ChangeLog(graph)
        self.entities = Entities(graph, self.changes)
        self.review = Review(graph, self.changes, self.entities, clock=clock)
        self.mindmap = MindMap(graph)
        self.messages = MessageLog(graph, spool=spool)
        self.reads = GraphReads(graph)
        self.recall_snapshots = RecallSnapshotCache(self.changes, self.mindmap, file=snapshot_file)
        self.statements = Statements(
            graph=graph,
            remember=self.remember,
            refresh=worker.refresh_layers,
            forgetting=self.forgetting,
            clock=clock,
            read=read,
        )
        self._offline_recall = OfflineRecall(spool, self.recall_snapshots)
        self._recall_planned = asyncio.Event()
        self._recall_planned.set()

    @measured(Operation.REMEMBER)
    async def remember(self, tenant: TenantId, incoming: RememberRequest) -> Receipt:
        """Store messages; return when they are durable, before anything is extracted from them.

        The receipt names the stored facts that provided facts close or may contradict; facts that were not consolidated
        yet are not compared.

        Raises:
            InputError: lists every mistake; nothing was stored.
            ConflictError: a message id already has another text; nothing was stored.
            UnavailableError: neither Neo4j nor the spool accepts them; the call may be repeated.
        """
        checked = check_request(tenant, incoming, now=self._clock())
        receipt = await store_or_spool(self._graph, self.spool, checked, epoch=secrets.token_hex(4))
        self._window.add(
            _session_of(tenant, incoming.user_id, incoming.session_id),
            [turn_from_message(said) for said in checked.episode.messages if said.text and said.part_of is None],
        )
        self.sessions.note_messages(tenant, receipt.session_uri)
        REJECTED.add("predicate not on the whitelist", n=checked.unknown_predicates)
        REJECTED.add("invalid in the call", n=len(checked.dropped) - checked.unknown_predicates)
        if not receipt.spooled:
            for said in self.said_listeners:
                said(tenant, incoming.user_id, incoming.session_id)
        self.recall_snapshots.want(tenant, incoming.user_id)
        if receipt.spooled:
            return receipt
        # Compared before the worker is notified, because its digest would close the facts first.
        outcome = await provided_outcome(self._graph, checked.episode)
        self._notify(tenant)
        return replace(receipt, outcome=outcome)

    @measured(Operation.RECALL)
    async def recall(
        self,
        tenant: TenantId,
        question: Question,
        *,
        asker: Asker | None = BY_SERVICE,
        budget: TextBudget | None = None,
    ) -> Answer:
        """Return the messages, scenes and facts of one user's memory that match a question, best first.

        Args:
            asker: the caller, for those who watch the questions; None keeps it from them, and it counts as no use.
            budget: what this request may still return of texts; a new one by default.

        Raises:
            UnavailableError: Neo4j does not answer, and nothing of this memory is on disk or in a snapshot.
        """
        generation = self.questions.generation(tenant)
        budget = budget or TextBudget()
        answer = within_budget(await self._answer(tenant, question), budget)
        answer = replace(answer, notes=(*answer.notes, *self._model_notes()))
        answer = await with_evidence(self._graph, tenant, question.user_id, answer, budget)
        if asker is None or answer.degraded:
            return answer
        used = [(hit.candidate.kind, hit.candidate.id) for hit in answer.hits]
        self.access.note(tenant, question.user_id, used, at=self._clock())
        if self.questions.on:
            asked = self._asked(tenant, question.user_id, question.text, QuestionKind.RECALL, asker, answer)
            self.questions.note(asked, generation=generation)
        return answer

    async def ask(self, tenant: TenantId, user_id: str, text: str) -> CitedAnswer:
        """Answer a person's question about one user's memory in sentences that cite what was found.

        Raises:
            UnavailableError: see `recall`.
        """
        kinds = (HitKind.MESSAGE, HitKind.FACT)
        question = Question(user_id=user_id, text=text, limit=SOURCES_MAX, kinds=kinds, evidence=1)
        found = await self.recall(tenant, question, asker=None)
        return await cited_answer(text, found, partial(self._worker.write_answer, tenant))

    def _asked(
        self,
        tenant: TenantId,
        user_id: str,
        text: str,
        kind: QuestionKind,
        asker: Asker,
        answer: Answer,
        given: Context | None = None,
    ) -> AskedQuestion:
        found = found_elements(answer.hits, None if given is None else frozenset(given.used))
        return AskedQuestion(
            tenant=tenant,
            user_id=user_id,
            text=text[:TEXT_CHARS_MAX],
            kind=kind,
            asker=asker,
            asked_at=self._clock(),
            hits=tuple(found[:HITS_MAX]),
            found_n=len(found),
            confidence=answer.confidence,
            nothing_relevant=answer.nothing_relevant,
            given=None
            if given is None
            else GivenContext(
                text=given.text,
                tokens=given.tokens,
                tokens_max=given.tokens_max,
                core=tuple(line.id for line in given.core),
            ),
        )

    def _model_notes(self) -> tuple[str, ...]:
        problem = self._model_problem()
        return (f"{problem}; until then, facts are those of the built-in reader",) if problem else ()

    async def _answer(self, tenant: TenantId, question: Question) -> Answer:
        """Return the answer of Neo4j or, while it is unavailable, of the spool and the last snapshot."""
        hints = await self._hints(tenant, question)
        question = await self._in_its_conversation(tenant, question)
        await self._recall_planned.wait()
        now = self._clock()
        try:
            answer = await recall(
                self._graph,
                self._embedder,
                tenant,
                question,
                now=now,
                hints=hints,
                settings=self._recall_settings,
                no_embedder=self._no_embedder,
            )
        except UnavailableError as error:
            return await self._offline_recall.recall(tenant, question, error, now=now)
        self.recall_snapshots.want(tenant, question.user_id)
        return answer

    @measured(Operation.CONTEXT)
    async def context(self, tenant: TenantId, request: ContextRequest, *, asker: Asker = BY_SERVICE) -> Context:
        """Return the context for an agent's prompt, within a token budget.

        Args:
            asker: the caller, for those who watch the questions.

        Raises:
            UnavailableError: Neo4j does not answer, and nothing of this memory is on disk or in a snapshot.
        """
        now, generation, answers = self._clock(), self.questions.generation(tenant), list[Answer]()

        async def ask(question: Question) -> Answer:
            answers.append(await self._answer(tenant, question))
            return answers[-1]

        found = await context(self._graph, tenant, request, now=now, ask=ask)
        found = replace(found, notes=(*found.notes, *self._model_notes()))
        if not found.degraded:
            self.access.note(tenant, request.user_id, found.used, at=now)
        if self.questions.on and answers and not found.degraded:
            kind = QuestionKind.CONTEXT
            asked = self._asked(tenant, request.user_id, request.query, kind, asker, answers[-1], found)
            self.questions.note(asked, generation=generation)
        return found

    async def seen_questions(self, tenant: TenantId, questions: Sequence[AskedQuestion]) -> list[SeenQuestion]:
        """Return questions with the texts of what they found; drop those that found a message that was forgotten."""
        seen, gone = await seen_questions(self._graph, tenant, questions)
        self.questions.remove(tenant, gone)
        return seen

    async def judge_recall(
        self, tenant: TenantId, question: AskedQuestion, element_id: str, *, wanted: bool | None
    ) -> int:
        """Store whether a hit should be recalled for a question; see `recall_cases.judge`.

        Raises:
            NotFoundError: the question, or what it found, is no longer kept.
        """
        for seen in await self.seen_questions(tenant, [question]):
            for hit in seen.hits:
                if hit.found.id == element_id:
                    return await judge(self.items, tenant, question, hit.found, wanted=wanted)
        raise NotFoundError(f"the question found nothing with id {element_id!r} that is still there")

    async def judged_hits(self, tenant: TenantId, user_id: str, question: str) -> dict[str, bool]:
        """Return what was said of a question's hits; see `recall_cases.judged_hits`."""
        return await judged_hits(self.items, tenant, user_id, question)

    async def recall_cases(self, tenant: TenantId, user_id: str) -> dict[str, Any]:
        """Return the judged questions about a user's memory; see `recall_cases.cases_document`."""
        return await cases_document(self._graph, self.items, self.messages, tenant, user_id)

    async def _in_its_conversation(self, tenant: TenantId, question: Question) -> Question:
        """Return the question; "just now" is the time of the last turns of its session, however long ago that was.

        Needs no database call. A time that the caller gives has precedence.
        """
        if question.session_id is None or not says_just_now(question.text):
            return question
        if any(moment is not None for moment in (question.asked_at, question.start, question.end)):
            return question
        recent = await self._recent_turns(tenant, question, question.session_id)
        if not recent:
            return question
        said_at = sorted(turn.said_at for turn in recent)[-_LAST_TURNS:]
        end = said_at[-1] + _AFTER_LAST_TURN
        return replace(question, asked_at=end, start=said_at[0], end=end)

    async def _hints(self, tenant: TenantId, question: Question) -> tuple[str, ...]:
        """Return the names in the last turns of the session if the question has pronouns."""
        if question.session_id is None or not refers_back(question.text):
            return ()
        recent = await self._recent_turns(tenant, question, question.session_id)
        return await asyncio.to_thread(hints_for, question.text, recent)

    async def _recent_turns(self, tenant: TenantId, question: Question, session_id: str) -> tuple[Turn, ...]:
        """Return the last turns; without a database call if the window is complete."""
        session = _session_of(tenant, question.user_id, session_id)
        if self._window.complete and (known := await self._window.turns(session)).turns:
            return known.turns
        try:
            return (await last_turns(self._graph, self._window, session, turns=_LAST_TURNS)).turns
        except (InputError, UnavailableError):
            return ()

    async def short_term(self, tenant: TenantId, user_id: str, session_id: str, *, turns: int) -> RecentTurns:
        """Return the last turns of a session, oldest first, and their source.

        Raises:
            UnavailableError: the window is empty and Neo4j does not answer.
        """
        session = _session_of(tenant, user_id, session_id)
        return await last_turns(self._graph, self._window, session, turns=turns)

    async def reextract_scenes(self, tenant: TenantId, user_id: str, *, scenes: int) -> int:
        """Request that the model reads the scenes deferred over budget, and return their number."""
        now_ms = millis(self._clock())
        enqueued = await reextract_scenes(self._graph, tenant, user_id, scenes_max=scenes, now_ms=now_ms)
        self._notify(tenant)
        return enqueued

    async def fact_events(
        self, tenant: TenantId, user_id: str, session_id: str, *, first: int
    ) -> list[StoredFactEvent]:
        """Return what became of the facts of a session, latest scene first; empty for an unknown session."""
        return await fact_events(self._graph, tenant, user_id, session_id, first=first)

    async def usage(self, tenant: TenantId, *, days: int) -> UsageReport:
        """Return the tokens that a tenant spent on the model, day by day."""
        budget = self._tokens_per_day
        return await usage(self._graph, tenant, days=days, tokens_per_day=budget, now=self._clock())

    def forget_compared(self, tenant: str | None) -> None:
        """Drop what is kept of a tenant's memory, or of all, because something in it was forgotten."""
        self.entities.forget(tenant)
        self.review.forget(tenant)

    async def plan_recall(self) -> None:
        """Let Neo4j plan the statement of recall, which takes seconds after a start; questions wait meanwhile.

        A question that did not wait would have the same statement planned once more.
        """
        planned = self._recall_planned = asyncio.Event()
        try:
            await plan_recall(self._graph, now=self._clock())
        finally:
            planned.set()

    async def load_models(self) -> None:
        """Load the models that embed questions and score answers, which are loaded by their first use otherwise."""
        if self._embedder is None:
            return
        for text in ("warm up", "热身"):
            await self._embedder.embed([text], asked=True)
        if isinstance(self._embedder, AnswerScorer):
            await self._embedder.answer_scores("warm up", ["warm up"])
            await self._embedder.replacement_scores("warm up", [("warm up", "warm up")])

    async def warm_up(self) -> None:
        """Prepare the first question of either language: run recall for a tenant that does not exist."""
        for text in ("warm up", "热身"):
            question = Question(user_id="nobody", text=text, evidence=1)
            with contextlib.suppress(UnavailableError):
                await recall(self._graph, self._embedder, TenantId("nobody"), question, now=self._clock())

    async def retry_jobs(self, tenant: TenantId, ids: Sequence[str] | None) -> int:
        """Enqueue dead letters again, all of them if `ids` is None; return their number.

        Raises:
            NotFoundError: an id names no dead letter of this tenant; nothing was changed.
        """
        retried = await self.dead_letters.retry(tenant, ids, now_ms=millis(self._clock()))
        self._notify(tenant)
        return retried

    async def sync(self, tenant: TenantId, *, dry_run: bool = False) -> SyncReport:
        """Check a tenant's texts, vectors, scenes, facts and jobs for consistency, and repair them.

        Raises:
            UnavailableError: Neo4j does not answer; repairs made so far remain.
        """
        sync = Sync(graph=self._graph, tenant=tenant, now=self._clock(), dry_run=dry_run)
        report = await sync.run()
        self._notify(tenant)
        return report

    async def backlog(self, tenant: TenantId) -> outbox.Backlog:
        """Return the number of a tenant's unfinished jobs, without those that wait for an embedder or a model."""
        kinds = outbox.supported_kinds(embedder=self._embedder is not None, model=JobKind.REFINE in self._worker.kinds)
        return await outbox.backlog(self._graph, tenant, kinds)
