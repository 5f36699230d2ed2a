"""Run the job `extract`: unread messages → scenes → extraction → accepted facts → one commit."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final

from extraction.embeddings.embedder import Embedder
from extraction.llm.fact_judge import FactJudge
from extraction.llm.summary_writer import LayerWriter, SessionWriter, worth_writing
from extraction.reader import Reader, Reading, SceneContext, SceneText
from extraction.rules.rule_reader import READER_NAME, TOO_SLOW, plain_reading
from extraction.token_spending import TokenSpending, spending
from extraction.unreadable import note_unreadable
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.consolidation.fact_judging import SessionFactJudge
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
from graph_service.memory.jobs.outbox import JobClaim, finish_jobs
from graph_service.memory.profile.reader import settle_profile, subjects_in
from graph_service.memory.summaries.scene_summary import (
    LAYERS_EVERY,
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
from schema.scene import Scene

_log = logging.getLogger("mnemograph.worker")

# If the user's memory changes after each plan, the job is released after this many.
_PLANS_MAX: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """The readers, summary writer and judge that extraction uses.

    Attributes:
        first: a model, or the rules when none is configured.
        fallback: the rules; they read scenes for which the model's answer was unusable.
        parallel: scenes of a session that a model reads at the same time; the rules read one at a time.
        tokens_per_day: budget of the model for each tenant; 0 means no limit.
        writer: writes overviews; None keeps extractive ones.
        session_writer: writes the layers of sessions; None keeps extractive ones.
        judge: decides about new facts that may restate or contradict known ones; None leaves that to the rules.
        waits_for_ripe: read a scene only when it is complete, so that a model reads each scene once.
        extracts: False defers the extraction of new messages until it is requested.
        layers_every: number of new messages after which the layers of a scene are updated.
        ledger: tokens used today by the jobs of this process.
    """

    first: Reader
    fallback: Reader
    parallel: int = 4
    tokens_per_day: int = 0
    writer: LayerWriter | None = None
    session_writer: SessionWriter | None = None
    judge: FactJudge | None = None
    waits_for_ripe: bool = False
    extracts: bool = True
    layers_every: int = LAYERS_EVERY
    ledger: TokenLedger = field(default_factory=TokenLedger)


class StalePlanError(Exception):
    """The user's memory changed after the plan was made, so a new plan is needed; caught in this module."""


async def read_session(
    graph: Graph,
    readers: Readers,
    claim: JobClaim,
    job_context: JobContext,
    thresholds: SegmentationThresholds,
    user_locks: KeyedLock,
    *,
    embedder: Embedder | None = None,
    final: bool = False,
    whole: bool = False,
    until_ms: int | None = None,
) -> bool:
    """Consolidate the unread messages of one session in one commit.

    Args:
        user_locks: locks by user, so that this process plans one digest of a user at a time.
        embedder: used to find topic shifts; None uses the words alone.
        final: the session ends, so every scene is complete.
        whole: update the summary layers of every scene, complete or not.
        until_ms: read messages before this time only, in milliseconds since 1970; None for all.

    Returns:
        True if unread messages are left.

    Raises:
        UnavailableError: the model or Neo4j does not answer; nothing was written.
        ConflictError: the lease was lost, or the memory kept changing; nothing was written.
    """
    now = job_context.clock()
    tokens = await readers.ledger.open(graph, claim.tenant, tokens_per_day=readers.tokens_per_day, now=now)
    with spending(tokens):
        try:
            return await _consolidate(
                graph,
                readers,
                claim,
                job_context,
                thresholds,
                user_locks,
                tokens,
                embedder=embedder,
                final=final,
                whole=whole,
                until_ms=until_ms,
            )
        except Exception:
            # Paid answers are not asked for again, so what they cost is recorded now.
            with contextlib.suppress(UnavailableError):
                await record_unfinished(graph, claim.tenant, tokens, now=now)
            raise


async def _consolidate(
    graph: Graph,
    readers: Readers,
    claim: JobClaim,
    job_context: JobContext,
    thresholds: SegmentationThresholds,
    user_locks: KeyedLock,
    tokens: TokenSpending,
    *,
    embedder: Embedder | None,
    final: bool,
    whole: bool,
    until_ms: int | None,
) -> bool:
    session_input = await load_session_input(graph, claim, thresholds, embedder, with_deferred=whole, until_ms=until_ms)
    job_context.step("extract loaded")
    if session_input is None:
        await _finish_without_scenes(graph, claim, job_context)
        return False
    over_budget = is_over_budget(tokens)
    if over_budget:
        readers = replace(readers, first=over_budget_reader(readers.fallback), writer=None, judge=None)
    # The rules do not use what the memory knows already.
    by_rules = over_budget or readers.first is readers.fallback
    context = None if by_rules else partial(load_context, graph, session_input, claim.session)
    tombstones = await load_user_tombstones(graph, session_input.owner)
    scenes = await _read_scenes(session_input, readers, thresholds, tombstones, context, final=final, whole=whole)
    if not scenes:
        await _finish_without_scenes(graph, claim, job_context, session_input)
        return session_input.more
    job_context.step("extract read")
    judge = SessionFactJudge(judge=readers.judge, embedder=embedder)
    # Of two concurrent plans for one memory, the later would be stale.
    async with user_locks.hold(f"{claim.tenant} {session_input.owner.user.id}"):
        for _ in range(_PLANS_MAX):
            session_input, revision = await _settled(graph, session_input, claim)
            scenes, plan = await _plan_readable(graph, session_input, scenes, judge, job_context)
            plan = replace(plan, cost=plan.cost | {"embedding_tokens": tokens.embedding_tokens})
            job_context.step("extract planned")
            too_slow = _too_slow_message(scenes)
            try:
                await _commit(
                    graph, session_input, plan, claim, revision, now_ms=job_context.now_ms(), too_slow=too_slow
                )
            except StalePlanError:
                continue
            job_context.step("extract committed")
            _count(scenes, plan)
            job_context.on_change(claim.tenant)
            return session_input.more
    raise ConflictError(f"the memory of user {session_input.owner.user_id!r} keeps changing; the job is retried later")


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


async def _read_scenes(  # noqa: C901  one pass over a scene, whose steps share what came before
    session_input: SessionInput,
    readers: Readers,
    thresholds: SegmentationThresholds,
    tombstones: UserTombstones,
    context: Callable[[Scene, SceneText], Awaitable[SceneContext]] | None,
    *,
    final: bool,
    whole: bool,
) -> list[SceneExtraction]:
    """Read the scenes that changed, and compute the summary layers that are out of date.

    Args:
        context: loads what the reader is told about the user; None if it does not use that.
    """
    provided_by_message = ProvidedByMessage(session_input.session_uri, session_input.provided)
    # Rules share the processor and a few threads with all requests; only calls of a model gain from concurrency.
    limit = asyncio.Semaphore(1 if readers.first is readers.fallback else readers.parallel)

    async def read_scene(scene: Scene) -> SceneExtraction | None:
        stored = session_input.stored.get(scene.id, {})
        ripe = is_ripe(scene, thresholds, newest_ms=session_input.newest_ms, final=final)
        pending = readers.waits_for_ripe and not ripe
        changed = scene.id in session_input.changed
        due = changed or (bool(stored.get("unextracted")) and not pending)
        lines = scene_text(session_input, scene, provided_by_message.covered)

        def allowed(reading: Reading) -> Reading:
            return tombstones.without_forgotten(reading, scene.messages, session_input.owner)

        provided = allowed(provided_by_message.reading(scene))
        basis = basis_of(scene, stored, provided, whole=ripe or whole, pending=pending, every=readers.layers_every)
        overview_deferred = whole and bool(stored.get("overview_pending"))
        if not due and basis.fresh and not overview_deferred:
            return None
        async with limit:
            read, slow = [], False
            if due and not pending:
                if readers.extracts or not changed:
                    new, slow = await _read(lines, readers, partial(context, scene) if context else None)
                else:
                    new = [deferred_reading()]
                read = [allowed(one) for one in new]
            readings = (provided, *read) if due else ()
            if basis.fresh and not read and not overview_deferred:
                return SceneExtraction(
                    scene=scene, readings=readings, layers=None, basis=basis, pending=pending, too_slow=slow
                )
            writer = readers.writer if whole or asks_for_overview(readings) else None
            # The summary of a scene that is not read now uses the rules alone.
            sources = readings
            if not read:
                new, slow_rules = ([], False) if pending else await _read_by_rules(lines, readers)
                sources, slow = (provided, *map(allowed, new)), slow or slow_rules
            shown = basis_lines(lines, basis)
            try:
                layers = await written_layers(shown, within(sources, basis), writer)
            except TooSlowError:
                layers, slow = plain_layers(shown), True
            except Exception as error:
                note_unreadable(error)
                layers = plain_layers(shown)
            if pending and writer is None and readers.writer is not None and worth_writing(lines):
                # If these layers are requested before the scene is complete, the model writes the overview.
                layers = replace(layers, needs_model=True)
            return SceneExtraction(
                scene=scene, readings=readings, layers=layers, basis=basis, pending=pending, too_slow=slow
            )

    extractions = await asyncio.gather(*(read_scene(scene) for scene in session_input.scenes))
    for extraction in extractions:
        if extraction is not None and extraction.too_slow:
            extra = {"tenant": session_input.owner.tenant, "job": extraction.scene.id}
            _log.warning("reading a scene took too long; it was stored without facts", extra=extra)
    return [extraction for extraction in extractions if extraction is not None]


async def _read(
    lines: SceneText, readers: Readers, context: Callable[[SceneText], Awaitable[SceneContext]] | None
) -> tuple[list[Reading], bool]:
    """Read a scene if it has unread lines; the second value is True if the deadline passed and no facts were read."""
    if not any(line.fresh for line in lines.lines):
        return [], False
    if context is not None:
        lines = replace(lines, context=await context(lines))
    try:
        return [await readers.first(lines)], False
    except TooSlowError:
        return [plain_reading()], True
    except MisreadError:
        return await _read_by_rules(lines, readers)
    except Exception as error:
        note_unreadable(error)
        return await _read_by_rules(lines, readers)


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


# Plan


async def _plan_readable(
    graph: Graph,
    session_input: SessionInput,
    scenes: list[SceneExtraction],
    judge: SessionFactJudge,
    job_context: JobContext,
) -> tuple[list[SceneExtraction], DigestPlan]:
    """Return the scenes with their plan; scenes on whose facts planning fails keep only those of callers."""
    try:
        return scenes, await _plan(graph, session_input, scenes, judge, job_context)
    except Exception as error:
        note_unreadable(error)
    readable = []
    for one in scenes:
        try:
            await _plan(graph, session_input, [one], judge, job_context)
        except Exception as error:
            note_unreadable(error)
            provided = tuple(reading for reading in one.readings if reading.reader == CALLER)
            one = replace(one, readings=(*provided, plain_reading()))
        readable.append(one)
    return readable, await _plan(graph, session_input, readable, judge, job_context)


async def _plan(
    graph: Graph,
    session_input: SessionInput,
    scenes: Sequence[SceneExtraction],
    judge: SessionFactJudge,
    job_context: JobContext,
) -> DigestPlan:
    """Resolve names, look up known facts and plan the rows of the commit."""
    owner = session_input.owner
    user_properties = add_declared_aliases(session_input.user_properties, scenes, owner)
    scenes = replace_user_aliases(scenes, stored_aliases(user_properties), owner)
    names = names_of(scenes)
    candidates = await load_candidates(graph, owner, names)
    judging = await judge.judge_scenes(graph, owner, scenes, names, candidates)
    replaced = await find_replaced(graph, owner, scenes, names, candidates)
    extra = [*(verdict.known for verdict in judging.verdicts.values()), *(fact.claim for fact in replaced.values())]
    known = await load_known(graph, owner, scenes, names, candidates, extra_claims=extra)
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
        replaced={name: fact.claim_id for name, fact in replaced.items()},
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

    async def steps(writing: Writing) -> list[Row]:
        return await writing.run(statement("consolidation/settled_revision"), parameters)

    rows = await graph.write(steps)
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
) -> None:
    """Write the plan, finish the job and append to the change log in one transaction.

    Locks the user first and the tenant last, like all writers, so that digests of one user are serialized.

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
        unembedded = await put_facts(writing, tenant, plan.facts, session=claim.session)
        if plan.episodes:
            await writing.run(statement("consolidation/complete_episodes"), {"tenant": tenant, "ids": plan.episodes})
        if any(row["properties"].get("unembedded") for row in plan.scenes):
            unembedded.add(claim.session)
        await enqueue_embedding(writing, tenant, unembedded, at=recorded_at)
        await finish_jobs(writing, [claim], more=session_input.more, now_ms=now_ms, too_slow=too_slow)
        merging = MergeWriter(writing=writing, tenant=tenant, at=recorded_at)
        changes = await merging.put_member_rows(plan.member_entities, plan.member_facts)
        if affects_kinship((*plan.facts, *plan.member_facts)):
            changes += await merging.update_kinship(owner.user_id)
        about = subjects_in((*plan.facts, *plan.member_facts), owner.user.id, owner.agent.id)
        if about:
            changes += await settle_profile(writing, tenant, about, at=recorded_at)
        day = day_of(recorded_at)
        await writing.run(statement("consolidation/add_usage"), {"tenant": tenant, "day": day, "cost": plan.cost})
        await append_changes(writing, tenant, owner.user_id, [*plan.changes, *changes], at=recorded_at)

    await graph.write(steps)


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
    for reading in (reading for scene in scenes for reading in scene.readings if reading.reader != CALLER):
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
