"""Run the jobs `extract` and `refine`, each one commit: scenes → extraction → accepted facts.

The local reader reads new messages at once. If a model is configured, `refine` lets it read the same scenes when they
are complete, and confirms, corrects or withdraws what the local reader found; nothing waits for the model.
"""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, Final, NamedTuple

from extraction.embeddings.embedder import Embedder
from extraction.llm.answer_writer import AnswerWriter
from extraction.llm.fact_judge import NOTHING_JUDGED, FactJudge, FactVerdicts
from extraction.llm.reader_chain import SMALL_TALK, wants_model
from extraction.llm.summary_writer import LayerWriter, SessionWriter, worth_writing
from extraction.reader import Reader, Reading, SceneText
from extraction.rules.rule_reader import READER_NAME, TOO_SLOW, plain_reading
from extraction.token_spending import TokenSpending, spending
from extraction.unreadable import note_unreadable
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.consolidation.fact_judging import judge_scenes
from graph_service.memory.consolidation.known_facts import load_known
from graph_service.memory.consolidation.plan import (
    DigestPlan,
    SceneExtraction,
    facts_in,
    names_of,
    plan_digest,
    planning_chars,
    run_off_loop_if_large,
)
from graph_service.memory.consolidation.proposal_check import CALLER
from graph_service.memory.consolidation.reading_context import load_context
from graph_service.memory.consolidation.replaced_facts import find_replaced
from graph_service.memory.consolidation.segmentation import SegmentationThresholds, is_ripe
from graph_service.memory.consolidation.session_input import (
    ProvidedByMessage,
    SessionInput,
    load_session_input,
    load_unrefined,
    scene_text,
)
from graph_service.memory.consolidation.token_budget import (
    TokenLedger,
    day_of,
    deferred_reading,
    is_over_budget,
    over_budget_reader,
    record_unfinished,
)
from graph_service.memory.consolidation.user_aliases import (
    add_declared_aliases,
    changed_alias_properties,
    replace_user_aliases,
    stored_aliases,
)
from graph_service.memory.entity_resolution.candidate_lookup import load_candidates
from graph_service.memory.entity_resolution.merge_writer import MergeWriter, affects_kinship
from graph_service.memory.facts.writer import enqueue_embedding, put_facts
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.keyed_lock import KeyedLock
from graph_service.memory.jobs.outbox import JobClaim, enqueue_refinement, finish_jobs, was_delayed
from graph_service.memory.profile.reader import settle_profile, subjects_in
from graph_service.memory.summaries.scene_summary import (
    LAYERS_EVERY,
    LayerBasis,
    SceneSummary,
    asks_for_overview,
    basis_lines,
    basis_of,
    plain_layers,
    within,
    written_layers,
)
from graph_service.memory.tombstones import UserTombstones, load_user_tombstones
from graph_service.observability.metrics import EMBEDDING_TOKENS, EXTRACTIONS, FACTS, MODEL_TOKENS, REJECTED
from schema.errors import ConflictError, MisreadError, TooSlowError, UnavailableError
from schema.ids import TenantId
from schema.scene import Scene

_log = logging.getLogger("mnemoscene.worker")

# If the user's memory changes after each plan, the job is released after this many.
_PLANS_MAX: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """The readers, summary writer and judge that extraction uses.

    Attributes:
        first: a model, or the local reader when none is configured.
        fallback: the local reader; it reads every scene at once, and the model refines what it found.
        parallel: scenes of a session that a model reads at the same time and in one commit.
        tokens_per_day: budget of the model for each tenant; 0 means no limit.
        writer: writes overviews; None keeps extractive ones.
        session_writer: writes the layers of sessions; None keeps extractive ones.
        answer_writer: answers questions; None quotes the best sentences instead.
        judge: decides about new facts that may restate or contradict known ones; None leaves that to the rules.
        waits_for_ripe: the model reads a scene only when it is complete, so that it reads each scene once.
        extracts: False defers the extraction of new messages until it is requested.
        layers_every: number of new messages after which the layers of a scene are updated.
        ledger: tokens used today by the jobs of this process.
        note_usefulness: called with whether an answer of the model could be used.
    """

    first: Reader
    fallback: Reader
    parallel: int = 4
    tokens_per_day: int = 0
    writer: LayerWriter | None = None
    session_writer: SessionWriter | None = None
    answer_writer: AnswerWriter | None = None
    judge: FactJudge | None = None
    waits_for_ripe: bool = False
    extracts: bool = True
    layers_every: int = LAYERS_EVERY
    ledger: TokenLedger = field(default_factory=TokenLedger)
    note_usefulness: Callable[[bool], None] = lambda _useful: None

    @property
    def with_model(self) -> bool:
        """True if a model refines what the local reader reads, or judges facts."""
        return self.first is not self.fallback or self.judge is not None

    @contextlib.asynccontextmanager
    async def accounted(
        self, graph: Graph, tenant: TenantId, *, now: datetime, commits_usage: bool = False
    ) -> AsyncIterator[TokenSpending]:
        """Count the model's tokens inside the block towards the tenant's day, within its budget.

        Args:
            commits_usage: the block records them itself if it succeeds; otherwise they are recorded here, because they
                are paid for.
        """
        tokens = await self.ledger.open(graph, tenant, tokens_per_day=self.tokens_per_day, now=now)
        recorded = False
        with spending(tokens):
            try:
                yield tokens
                recorded = commits_usage
            finally:
                if not recorded:
                    with contextlib.suppress(UnavailableError):
                        await record_unfinished(graph, tenant, tokens, now=now)


class StalePlanError(Exception):
    """The user's memory changed after the plan was made, so a new plan is needed; caught in this module."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadScope:
    """The part of a session that one extract job reads.

    Attributes:
        final: the session ends, so every scene is complete.
        whole: update the summary layers of every scene, complete or not.
        until_ms: read messages before this time only, in milliseconds since 1970; None for all.
        automatic: nobody requested the extraction, so that it may be deferred.
    """

    final: bool = False
    whole: bool = False
    until_ms: int | None = None
    automatic: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Consolidation:
    """Read sessions of one process into the graph, each job in one commit.

    Attributes:
        user_locks: locks by user, so that this process plans one digest of a user at a time.
        embedder: used to find topic shifts; None uses the words alone.
    """

    graph: Graph
    readers: Readers
    job_context: JobContext
    thresholds: SegmentationThresholds
    user_locks: KeyedLock
    embedder: Embedder | None

    async def read(self, claim: JobClaim, scope: ReadScope) -> bool:
        """Consolidate the unread messages of one session; return whether unread messages are left.

        Raises:
            UnavailableError: Neo4j does not answer; nothing was written.
            ConflictError: the lease was lost, or the memory kept changing; nothing was written.
        """
        async with self._spending(claim) as tokens:
            return await self._consolidate(claim, scope, tokens)

    def _spending(self, claim: JobClaim) -> AbstractAsyncContextManager[TokenSpending]:
        now = self.job_context.clock()
        return self.readers.accounted(self.graph, claim.tenant, now=now, commits_usage=True)

    async def _consolidate(self, claim: JobClaim, scope: ReadScope, tokens: TokenSpending) -> bool:
        graph, job_context, readers = self.graph, self.job_context, self.readers
        if not scope.automatic:
            readers = replace(readers, extracts=True)
        session_input = await load_session_input(
            graph, claim, self.thresholds, self.embedder, with_deferred=scope.whole, until_ms=scope.until_ms
        )
        job_context.step("extract loaded")
        if session_input is None:
            await _finish_without_scenes(graph, claim, job_context)
            return False
        if is_over_budget(tokens):
            readers = replace(readers, writer=None)
        tombstones = await load_user_tombstones(graph, session_input.owner)
        scenes = await _read_scenes(session_input, readers, self.thresholds, tombstones, scope)
        if not scenes:
            await _finish_without_scenes(graph, claim, job_context, session_input)
            return session_input.more
        job_context.step("extract read")
        # Of two concurrent plans for one memory, the later would be stale.
        async with self.user_locks.hold(f"{claim.tenant} {session_input.owner.user.id}"):
            for _ in range(_PLANS_MAX):
                session_input, revision = await _settled(graph, session_input, claim)
                change = _Change(session_input, scenes, claim, revision, tokens.embedding_tokens)
                try:
                    await _plan_and_commit(graph, change, NOTHING_JUDGED, job_context, refines=readers.with_model)
                except StalePlanError:
                    continue
                return session_input.more
        raise ConflictError(
            f"the memory of user {session_input.owner.user_id!r} keeps changing; the job is retried later"
        )

    async def refine(self, claim: JobClaim) -> bool | None:
        """Let the model read complete scenes that only the local reader has read, and commit what it changes.

        The model is asked before the user's memory is locked, and a scene that changed meanwhile is left for the next
        run.

        Returns:
            True if scenes were read, so that the job stays open; False if the session is closed and has none left, None
            if it is active. The job is not finished then.

        Raises:
            UnavailableError: the model or Neo4j does not answer; scenes for which it answered are committed.
            ConflictError: the lease was lost, or the memory kept changing; nothing was written.
        """
        graph, job_context, readers = self.graph, self.job_context, self.readers
        found = await load_unrefined(graph, claim)
        if found is None or not readers.with_model:
            return None
        session_input, active = found
        waiting = [
            scene
            for scene in session_input.scenes
            if not readers.waits_for_ripe
            or is_ripe(scene, self.thresholds, newest_ms=session_input.newest_ms, final=not active)
        ][: readers.parallel]
        if not waiting:
            return None if active else False
        async with self._spending(claim) as tokens:
            if is_over_budget(tokens):
                readers = replace(readers, first=over_budget_reader(readers.fallback), writer=None, judge=None)
            read = await asyncio.gather(
                *(_refined_scene(graph, session_input, claim, readers, scene) for scene in waiting),
                return_exceptions=True,
            )
            errors = [one for one in read if isinstance(one, BaseException)]
            scenes = [one for one in read if isinstance(one, SceneExtraction)]
            if errors and (not scenes or not all(isinstance(error, UnavailableError) for error in errors)):
                # One of its own before those of a pause, which does not count as a failure of the job.
                raise min(errors, key=was_delayed)
            job_context.step("refine read")
            judging = await _judged(graph, session_input, scenes, readers.judge, self.embedder)
            await _commit_refined(graph, claim, scenes, judging, tokens, job_context, self.user_locks)
        return True


async def _finish_without_scenes(
    graph: Graph, claim: JobClaim, job_context: JobContext, session_input: SessionInput | None = None
) -> None:
    more = session_input is not None and session_input.more
    now_ms = job_context.now_ms()
    # Provided facts of messages without a scene must not block later ones.
    skipped = session_input.episodes if session_input is not None and more else ()
    if skipped:
        extra = {"tenant": claim.tenant, "job": claim.id}
        _log.warning("skipped the facts of %d calls, whose messages are in no scene", len(skipped), extra=extra)

    async def steps(writing: Writing) -> None:
        if skipped:
            parameters = {"tenant": claim.tenant, "ids": list(skipped)}
            await writing.run(statement("consolidation/complete_episodes"), parameters)
        await finish_jobs(writing, [claim], more=more, now_ms=now_ms)

    await graph.write(steps)


# Extraction


async def _read_scenes(
    session_input: SessionInput,
    readers: Readers,
    thresholds: SegmentationThresholds,
    tombstones: UserTombstones,
    scope: ReadScope,
) -> list[SceneExtraction]:
    """Read the scenes that changed with the local reader, and compute the summary layers that are out of date."""
    whole = scope.whole
    provided_by_message = ProvidedByMessage(session_input.session_uri, session_input.provided)
    extractions = []
    # One at a time, because the local reader shares the processor and a few threads with all requests.
    for scene in session_input.scenes:
        stored = session_input.stored.get(scene.id, {})
        ripe = is_ripe(scene, thresholds, newest_ms=session_input.newest_ms, final=scope.final)
        changed = scene.id in session_input.changed
        due = changed or bool(stored.get("unextracted"))
        lines = scene_text(session_input, scene, provided_by_message.covered)
        deferred = changed and not readers.extracts
        provided = tombstones.without_forgotten(provided_by_message.reading(scene), scene.messages, session_input.owner)
        # Until a model has read the scene, its layers are provisional.
        # A scene that waits for a model keeps waiting, also when its new messages are read without one.
        waits = bool(stored.get("unrefined"))
        unrefined = waits or (due and not deferred and _wants_model(lines, provided, readers))
        provided = replace(provided, unconfirmed=unrefined and readers.judge is not None)
        basis = basis_of(scene, stored, provided, whole=ripe or whole, pending=unrefined, every=readers.layers_every)
        overview_deferred = whole and bool(stored.get("overview_pending"))
        if not due and basis.fresh and not overview_deferred:
            continue
        read: list[Reading] = [deferred_reading()] if deferred else []
        slow = False
        if due:
            if not deferred:
                read, slow = await _read_by_rules(lines, readers)
                path = SMALL_TALK if readers.first is not readers.fallback and not unrefined else ()
                read = [replace(one, unconfirmed=unrefined, path=one.path or path) for one in read]
            read = [tombstones.without_forgotten(one, scene.messages, session_input.owner) for one in read]
        readings = (provided, *read) if due else ()
        layers = None
        # What was read again may lack what was forgotten since, although the messages are the same.
        if read or not basis.fresh or overview_deferred:
            # The summary of a scene that is not read now uses the rules alone.
            sources = readings
            if not read:
                new, slow = await _read_by_rules(lines, readers)
                new = [tombstones.without_forgotten(one, scene.messages, session_input.owner) for one in new]
                sources = (provided, *new)
            layers, slow_layers = await _layers(lines, sources, basis, readers.writer if whole else None)
            slow = slow or slow_layers
            if unrefined and not whole and readers.writer is not None and worth_writing(lines):
                # If these layers are requested before the model reads the scene, it writes the overview.
                layers = replace(layers, needs_model=True)
        if slow:
            extra = {"tenant": session_input.owner.tenant, "job": scene.id}
            _log.warning("reading a scene took too long; it was stored without facts", extra=extra)
        extractions.append(
            SceneExtraction(
                scene=scene, readings=readings, layers=layers, basis=basis, unrefined=unrefined, too_slow=slow
            )
        )
    return extractions


def _wants_model(lines: SceneText, provided: Reading, readers: Readers) -> bool:
    """Return whether a model is to read a scene, or to judge what was provided with it."""
    judged = readers.judge is not None and any(fact.correction is None for fact in provided.facts)
    return judged or (readers.with_model and wants_model(lines))


async def _layers(
    lines: SceneText, readings: Sequence[Reading], basis: LayerBasis, writer: LayerWriter | None
) -> tuple[SceneSummary, bool]:
    """Return the layers of a scene, and whether the low-cost fallback made them because the deadline passed."""
    shown = basis_lines(lines, basis)
    try:
        return await written_layers(shown, within(readings, basis), writer), False
    except TooSlowError:
        return plain_layers(shown), True
    except Exception as error:
        note_unreadable(error)
        return plain_layers(shown), False


async def _read_by_rules(lines: SceneText, readers: Readers) -> tuple[list[Reading], bool]:
    try:
        return [await readers.fallback(lines)], False
    except TooSlowError:
        return [plain_reading()], True
    except Exception as error:
        note_unreadable(error)
        return [plain_reading()], False


def _too_slow_message(scenes: Sequence[SceneExtraction]) -> str | None:
    """Return the dead letter's error for scenes that took too long, with URIs but no text; None without any."""
    slow = [extraction.scene.uri for extraction in scenes if extraction.too_slow]
    if not slow:
        return None
    return (
        f"TooSlowError: reading took too long and was stopped for {len(slow)} scene(s); their messages are stored and"
        f" searchable, no facts were read from them; cancel this dead letter once you have seen it: {', '.join(slow)}"
    )


# Refinement


async def _refined_scene(
    graph: Graph, session_input: SessionInput, claim: JobClaim, readers: Readers, scene: Scene
) -> SceneExtraction:
    """Return the model's reading of a scene, or the local reader's again if the model's answer was unusable."""
    provided_by_message = ProvidedByMessage(session_input.session_uri, session_input.provided)
    lines = scene_text(session_input, scene, provided_by_message.covered)
    provided = provided_by_message.reading(scene)
    told = replace(lines, context=await load_context(graph, session_input, claim.session, scene, lines))
    try:
        reading, slow = await readers.first(told), False
    except TooSlowError:
        reading, slow = plain_reading(), True
    except MisreadError:
        [reading], slow = await _read_by_rules(lines, readers)
    except Exception as error:
        note_unreadable(error)
        [reading], slow = await _read_by_rules(lines, readers)
    if reading.reader == READER_NAME:
        reading = replace(reading, unconfirmed=True)
    if "model" in reading.path:
        readers.note_usefulness(reading.reader != READER_NAME)
    stored = session_input.stored.get(scene.id, {})
    basis = basis_of(scene, stored, provided, whole=True, every=readers.layers_every)
    readings = (provided, reading)
    layers, slow_layers = await _layers(lines, readings, basis, readers.writer if asks_for_overview(readings) else None)
    return SceneExtraction(scene=scene, readings=readings, layers=layers, basis=basis, too_slow=slow or slow_layers)


async def _judged(
    graph: Graph,
    session_input: SessionInput,
    scenes: Sequence[SceneExtraction],
    judge: FactJudge | None,
    embedder: Embedder | None,
) -> FactVerdicts:
    if judge is None:
        return NOTHING_JUDGED
    owner = session_input.owner
    user_properties = add_declared_aliases(session_input.user_properties, scenes, owner)
    scenes = replace_user_aliases(scenes, stored_aliases(user_properties), owner)
    names = names_of(scenes)
    known = await load_candidates(graph, owner, names)
    return await judge_scenes(graph, owner, scenes, names, known, judge=judge, embedder=embedder)


async def _commit_refined(
    graph: Graph,
    claim: JobClaim,
    scenes: Sequence[SceneExtraction],
    judging: FactVerdicts,
    tokens: TokenSpending,
    job_context: JobContext,
    user_locks: KeyedLock,
) -> None:
    """Commit the readings of the scenes that did not change since they were read; the job stays open."""
    for _ in range(_PLANS_MAX):
        found = await load_unrefined(graph, claim)
        if found is None:
            raise ConflictError("the session was forgotten while a model read it")
        async with user_locks.hold(f"{claim.tenant} {found[0].owner.user.id}"):
            # The revision first: a change since then makes the plan stale.
            _, revision = await _settled(graph, found[0], claim)
            found = await load_unrefined(graph, claim)
            if found is None:
                continue
            session_input = replace(found[0], more=True)
            current = {scene.id: scene.content_hash for scene in session_input.scenes}
            tombstones = await load_user_tombstones(graph, session_input.owner)
            unchanged = [
                replace(
                    one,
                    readings=tuple(
                        tombstones.without_forgotten(reading, one.scene.messages, session_input.owner)
                        for reading in one.readings
                    ),
                )
                for one in scenes
                if current.get(one.scene.id) == one.scene.content_hash
            ]
            if not unchanged:
                raise ConflictError("the scenes changed while a model read them; they are read again")
            change = _Change(session_input, unchanged, claim, revision, tokens.embedding_tokens)
            try:
                await _plan_and_commit(graph, change, judging, job_context, step="refine")
            except StalePlanError:
                continue
        return
    raise ConflictError("the user's memory keeps changing; the job is retried later")


# Plan


class _Change(NamedTuple):
    """Scenes that were read, of a memory at a revision, and the embedding tokens spent on reading them."""

    session_input: SessionInput
    scenes: list[SceneExtraction]
    claim: JobClaim
    revision: int
    embedding_tokens: int


async def _plan_and_commit(
    graph: Graph,
    change: _Change,
    judging: FactVerdicts,
    job_context: JobContext,
    *,
    step: str = "extract",
    refines: bool = False,
) -> None:
    """Plan the facts of the scenes and commit them.

    Raises:
        StalePlanError: the memory has changed since the revision.
    """
    session_input, scenes, claim, revision, embedding_tokens = change
    scenes, plan = await _plan_readable(graph, session_input, scenes, judging, job_context)
    plan = replace(plan, cost=plan.cost | {"embedding_tokens": embedding_tokens})
    job_context.step(f"{step} planned")
    await _commit(
        graph,
        session_input,
        plan,
        claim,
        revision,
        now_ms=job_context.now_ms(),
        too_slow=_too_slow_message(scenes),
        refines=refines,
    )
    job_context.step(f"{step} committed")
    _count(scenes, plan)
    job_context.on_change(claim.tenant)


async def _plan_readable(
    graph: Graph,
    session_input: SessionInput,
    scenes: list[SceneExtraction],
    judging: FactVerdicts,
    job_context: JobContext,
) -> tuple[list[SceneExtraction], DigestPlan]:
    """Return the scenes with their plan; scenes on whose facts planning fails keep only those of callers."""
    try:
        return scenes, await _plan(graph, session_input, scenes, judging, job_context)
    except Exception as error:
        note_unreadable(error)
    readable = []
    for one in scenes:
        try:
            await _plan(graph, session_input, [one], judging, job_context)
        except Exception as error:
            note_unreadable(error)
            provided = tuple(reading for reading in one.readings if reading.reader == CALLER)
            one = replace(one, readings=(*provided, plain_reading()))
        readable.append(one)
    return readable, await _plan(graph, session_input, readable, judging, job_context)


async def _plan(
    graph: Graph,
    session_input: SessionInput,
    scenes: Sequence[SceneExtraction],
    judging: FactVerdicts,
    job_context: JobContext,
) -> DigestPlan:
    """Resolve names, look up known facts and plan the rows of the commit."""
    owner = session_input.owner
    user_properties = add_declared_aliases(session_input.user_properties, scenes, owner)
    scenes = replace_user_aliases(scenes, stored_aliases(user_properties), owner)
    names = names_of(scenes)
    candidates = await load_candidates(graph, owner, names)
    replaced = await find_replaced(graph, owner, scenes, names, candidates)
    extra = [*(verdict.known for verdict in judging.verdicts.values()), *(known.claim for known in replaced.values())]
    refined = [one.scene.id for one in scenes if any(reading.withdraws for reading in one.readings)]
    known = await load_known(graph, owner, scenes, names, candidates, extra_claims=extra, refined=refined)
    planning = partial(
        plan_digest,
        replace(session_input, user_properties=user_properties),
        scenes,
        names,
        candidates,
        known.facts,
        known.mentions,
        recorded_at=job_context.clock(),
        member_ids=known.member_ids,
        judging=judging,
        replaced={name: known.id for name, known in replaced.items()},
    )
    try:
        plan = await run_off_loop_if_large(planning, planning_chars(scenes, known.facts))
    except TooSlowError as error:
        raise TooSlowError(
            f"planning {facts_in(scenes)} facts of {len(scenes)} scene(s) with {len(known.facts)} known ones took too"
            f" long ({error}); the messages of session {session_input.session_uri} are stored and searchable; forget"
            " some of these facts, or send them again in smaller parts, and retry the job"
        ) from error
    return replace(plan, own_names=changed_alias_properties(session_input.user_properties, user_properties))


async def _settled(graph: Graph, session_input: SessionInput, claim: JobClaim) -> tuple[SessionInput, int]:
    """Return the input with the user's current properties, and the number of writes to the user's memory.

    Read before the plan's reads, so that these see at least what those writes left. The lease keeps the scenes
    unchanged.
    """
    parameters = {"tenant": claim.tenant, "user_node_id": session_input.owner.user.id}
    rows = await graph.run(statement("consolidation/settled_revision"), parameters)
    if not rows:
        raise ConflictError(
            f"user {session_input.owner.user_id!r} was forgotten while the job ran; there is nothing left to do"
        )
    return replace(session_input, user_properties=rows[0]["user_properties"]), rows[0]["revision"]


# Commit


async def _commit(
    graph: Graph,
    session_input: SessionInput,
    plan: DigestPlan,
    claim: JobClaim,
    revision: int,
    *,
    now_ms: int,
    too_slow: str | None,
    refines: bool = False,
) -> None:
    """Write the plan, finish the job and append to the change log in one transaction.

    Locks the user first and the tenant last, like all writers, so that digests of one user are serialized.

    Args:
        refines: a model refines what was read; a new scene, even of small talk, completes the scene before it.

    Raises:
        StalePlanError: the memory was written since the plan's reads.
        ConflictError: the lease was lost, or messages were forgotten.
    """
    tenant, owner = claim.tenant, session_input.owner
    recorded_at = plan.recorded_at

    async def steps(writing: Writing) -> None:
        await _lock_user(writing, session_input, plan, claim, revision)
        for put, rows in (
            (statement("entity_resolution/put_entities"), plan.entities),
            (statement("entity_resolution/put_agents"), plan.agents),
        ):
            if rows:
                written = await writing.run(put, {"tenant": tenant, "rows": rows})
                assert len(written) == len(rows), f"{put.name} must write every row"
        if plan.scenes:
            parameters = {"tenant": tenant, "session": claim.session, "rows": plan.scenes}
            written = await writing.run(statement("consolidation/put_scenes"), parameters)
            expected = {row["id"]: len(row["messages"]) for row in plan.scenes}
            if {row["id"]: row["messages"] for row in written} != expected:
                raise ConflictError("messages of a scene were forgotten while it was read; it is read again")
        unembedded = await _write_facts(writing, plan, claim)
        if refines and plan.scenes:
            await enqueue_refinement(writing, tenant, claim.session, now_ms=now_ms)
        if plan.episodes:
            await writing.run(statement("consolidation/complete_episodes"), {"tenant": tenant, "ids": plan.episodes})
        await enqueue_embedding(writing, tenant, unembedded, at=recorded_at)
        await finish_jobs(writing, [claim], more=session_input.more, now_ms=now_ms, too_slow=too_slow)
        merging = MergeWriter(writing=writing, tenant=tenant, at=recorded_at)
        changes = await merging.put_member_rows(plan.member_entities, plan.member_facts)
        touched = _touched_rows(plan)
        if affects_kinship(touched):
            changes += await merging.update_kinship(owner.user_id)
        about = subjects_in(touched, owner.user.id, owner.agent.id)
        if about:
            changes += await settle_profile(writing, tenant, about, at=recorded_at)
        day = day_of(recorded_at)
        await writing.run(statement("consolidation/add_usage"), {"tenant": tenant, "day": day, "cost": plan.cost})
        await append_changes(writing, tenant, owner.user_id, [*plan.changes, *changes], at=recorded_at)

    await graph.write(steps)


async def _write_facts(writing: Writing, plan: DigestPlan, claim: JobClaim) -> set[str]:
    """Delete the withdrawn facts and write the others.

    Returns:
        The sessions that embed new statements and summaries.
    """
    if plan.withdrawn:
        ids = [fact.id for fact in plan.withdrawn]
        await writing.run(statement("facts/delete_edges"), {"tenant": claim.tenant, "ids": ids})
    unembedded = await put_facts(writing, claim.tenant, plan.facts, session=claim.session)
    if any(row["properties"].get("unembedded") for row in plan.scenes):
        unembedded.add(claim.session)
    return unembedded


def _touched_rows(plan: DigestPlan) -> tuple[dict[str, Any], ...]:
    """Return the rows of all facts that were written or deleted."""
    withdrawn = (
        {"subject_id": fact.subject_id, "predicate": fact.predicate, "properties": {"relation": fact.relation}}
        for fact in plan.withdrawn
    )
    return (*plan.facts, *plan.member_facts, *withdrawn)


async def _lock_user(
    writing: Writing, session_input: SessionInput, plan: DigestPlan, claim: JobClaim, revision: int
) -> None:
    parameters = {
        "tenant": claim.tenant,
        "user_node_id": session_input.owner.user.id,
        "revision": revision,
        "seen": plan.last_said,
        "names": plan.own_names,
    }
    rows = await writing.run(statement("consolidation/lock_user"), parameters)
    if not rows or not rows[0]["fresh"]:
        raise StalePlanError


# Metrics


def _count(scenes: Sequence[SceneExtraction], plan: DigestPlan) -> None:
    """Count what one digest read and wrote; call it after the commit."""
    # A scene that a model is still to read is counted then.
    read = (reading for scene in scenes if not scene.unrefined for reading in scene.readings)
    for reading in (one for one in read if one.reader != CALLER):
        EXTRACTIONS.add(_outcome(reading))
        REJECTED.add("unreadable in the reader's answer", n=len(reading.dropped))
    FACTS.add(n=len(plan.facts))
    for rejected in plan.rejected:
        REJECTED.add(rejected.reason)
    MODEL_TOKENS.add("in", n=plan.cost["tokens_in"])
    MODEL_TOKENS.add("out", n=plan.cost["tokens_out"])
    EMBEDDING_TOKENS.add(n=plan.cost["embedding_tokens"])


def _outcome(reading: Reading) -> str:
    if reading.needs_model:
        return "over_budget"
    if TOO_SLOW in reading.path:
        return "too_slow"
    if reading.reader != READER_NAME:
        return "model" if reading.path in ((), ("model",)) else "model_retried"
    return "rules_fallback" if "model" in reading.path else "rules"
