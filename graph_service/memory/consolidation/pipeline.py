"""Run the jobs `extract` and `refine`, each one commit: scenes → extraction → accepted facts.

The local reader reads new messages at once. If a model is configured, `refine` lets it read the same scenes when they
are complete, and confirms, corrects or withdraws what the local reader found; nothing waits for the model.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, TypeVar

from extraction.embeddings.embedder import Embedder
from extraction.llm.fact_judge import NOTHING_JUDGED, FactVerdicts
from extraction.llm.reader_chain import SMALL_TALK, wants_model
from extraction.llm.summary_writer import LayerWriter, worth_writing
from extraction.reader import Reading, SceneText
from extraction.rules.rule_reader import READER_NAME, TOO_SLOW, plain_reading
from extraction.token_spending import TokenSpending, spending_apart
from extraction.unreadable import note_unreadable
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.change_log.log import append_changes
from graph_service.memory.consolidation.fact_judging import judge_scenes
from graph_service.memory.consolidation.known_facts import entities_in, find_replaced, load_known
from graph_service.memory.consolidation.plan import (
    DigestPlan,
    SceneExtraction,
    changed_alias_properties,
    facts_in,
    plan_digest,
    planning_chars,
    run_off_loop_if_large,
    with_declared_aliases,
)
from graph_service.memory.consolidation.proposal_check import CALLER
from graph_service.memory.consolidation.readers import (
    Readers,
    cost_of,
    day_of,
    deferred_reading,
    is_over_budget,
    over_budget_reader,
)
from graph_service.memory.consolidation.segmentation import is_ripe
from graph_service.memory.consolidation.session_input import (
    ProvidedByMessage,
    SessionInput,
    load_context,
    load_session_input,
    load_unrefined,
    scene_text,
)
from graph_service.memory.entity_resolution.merge import MergeWriter, affects_kinship
from graph_service.memory.facts.stored import enqueue_embedding, put_facts
from graph_service.memory.jobs.job_context import JobContext, KeyedLock
from graph_service.memory.jobs.outbox import JobClaim, JobKind, enqueue, finish_jobs, was_delayed
from graph_service.memory.profile.reader import settle_profile, subjects_in
from graph_service.memory.summaries.scene_summary import (
    LayerBasis,
    SceneSummary,
    asks_for_overview,
    basis_of,
    plain_layers,
    within,
    written_layers,
)
from graph_service.memory.tombstones import load_user_tombstones
from graph_service.observability.metrics import EMBEDDING_TOKENS, EXTRACTIONS, FACTS, MODEL_TOKENS, REJECTED
from schema.errors import ConflictError, MisreadError, TooSlowError, UnavailableError
from schema.scene import Scene

T = TypeVar("T")
_log = logging.getLogger("mnemoscene.worker")

# If the user's memory changes after each plan, the job is released after this many.
_PLANS_MAX: Final = 5
# Scenes of a session that a model reads at the same time and in one commit.
_REFINED_TOGETHER: Final = 4


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
    user_locks: KeyedLock
    embedder: Embedder | None

    async def read(self, claim: JobClaim, scope: ReadScope) -> bool:
        """Consolidate the unread messages of one session; return whether unread messages are left.

        Raises:
            UnavailableError: Neo4j does not answer; nothing was written.
            ConflictError: the lease was lost, or the memory kept changing; nothing was written.
        """
        readers = self.readers if scope.automatic else replace(self.readers, extracts=True)
        async with self._accounted(claim) as tokens:
            session_input = await load_session_input(
                self.graph,
                claim,
                self.embedder,
                with_deferred=scope.whole,
                until_ms=scope.until_ms,
            )
            self.job_context.step("extract loaded")
            if session_input is None:
                await self._finish_without_scenes(claim)
                return False
            if is_over_budget(tokens):
                readers = replace(readers, writer=None)
            scenes = await self._read_scenes(session_input, readers, scope)
            if not scenes:
                await self._finish_without_scenes(claim, session_input)
                return session_input.more
            self.job_context.step("extract read")
            await self._commit_in_turn(claim, session_input, scenes, NOTHING_JUDGED, tokens, refined=False)
            return session_input.more

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
        readers, found = self.readers, await load_unrefined(self.graph, claim)
        if found is None or not readers.with_model:
            return None
        session_input, active = found
        waiting = [
            scene
            for scene in session_input.scenes
            if not readers.waits_for_ripe or is_ripe(scene, newest_ms=session_input.newest_ms, final=not active)
        ][:_REFINED_TOGETHER]
        if not waiting:
            return None if active else False
        async with self._accounted(claim) as tokens:
            if is_over_budget(tokens):
                readers = replace(readers, first=over_budget_reader(readers.fallback), writer=None, judge=None)
            read = await asyncio.gather(
                *(self._refined_scene(session_input, claim, readers, scene) for scene in waiting),
                return_exceptions=True,
            )
            errors = [one for one in read if isinstance(one, BaseException)]
            scenes = [one for one in read if isinstance(one, SceneExtraction)]
            if errors and (not scenes or not all(isinstance(error, UnavailableError) for error in errors)):
                # One of its own before those of a pause, which does not count as a failure of the job.
                raise min(errors, key=was_delayed)
            self.job_context.step("refine read")
            judging = NOTHING_JUDGED
            if readers.judge is not None:
                owner = session_input.owner
                _, named = with_declared_aliases(session_input.user_properties, scenes, owner)
                entities, _ = await entities_in(self.graph, owner, named)
                judging = await judge_scenes(
                    self.graph, owner, named, entities, judge=readers.judge, embedder=self.embedder
                )
            await self._commit_in_turn(claim, session_input, scenes, judging, tokens, refined=True)
        return True

    def _accounted(self, claim: JobClaim) -> AbstractAsyncContextManager[TokenSpending]:
        return self.readers.accounted(self.graph, claim.tenant, now=self.job_context.clock(), commits_usage=True)

    async def _finish_without_scenes(self, claim: JobClaim, session_input: SessionInput | None = None) -> None:
        more = session_input is not None and session_input.more
        now_ms = self.job_context.now_ms()
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

        await self.graph.write(steps)

    # Extraction

    async def _read_scenes(
        self, session_input: SessionInput, readers: Readers, scope: ReadScope
    ) -> list[SceneExtraction]:
        """Read the scenes that changed with the local reader, and compute the summary layers that are out of date."""
        whole, owner = scope.whole, session_input.owner
        tombstones = await load_user_tombstones(self.graph, owner)
        provided_by_message = ProvidedByMessage(session_input.session_uri, session_input.provided)
        extractions = []
        # One at a time, because the local reader shares the processor and a few threads with all requests.
        for scene in session_input.scenes:
            stored = session_input.stored.get(scene.id, {})
            ripe = is_ripe(scene, newest_ms=session_input.newest_ms, final=scope.final)
            changed = scene.id in session_input.changed
            due = changed or bool(stored.get("unextracted"))
            lines = scene_text(session_input, scene, provided_by_message.covered)
            deferred = changed and not readers.extracts
            provided = tombstones.without_forgotten(provided_by_message.reading(scene), scene.messages, owner)
            # Until a model has read the scene, its layers are provisional.
            # A scene that waits for a model keeps waiting, also when its new messages are read without one.
            waits = bool(stored.get("unrefined"))
            unrefined = waits or (due and not deferred and _wants_model(lines, provided, readers))
            provided = replace(provided, unconfirmed=unrefined and readers.judge is not None)
            basis = basis_of(
                scene, stored, provided, whole=ripe or whole, pending=unrefined, every=readers.layers_every
            )
            overview_deferred = whole and bool(stored.get("overview_pending"))
            if not due and basis.fresh and not overview_deferred:
                continue
            reading, slow = (
                (deferred_reading(), False)
                if deferred
                else await _or_plain(partial(readers.fallback, lines), plain_reading)
            )
            path = SMALL_TALK if readers.first is not readers.fallback and not unrefined else ()
            reading = replace(reading, unconfirmed=unrefined, path=reading.path or path)
            readings = (provided, tombstones.without_forgotten(reading, scene.messages, owner))
            # Also if they are fresh: what was read again may lack what was forgotten since.
            with spending_apart() as spent:
                layers, slow_layers = await _layers(lines, readings, basis, readers.writer if whole else None)
            if unrefined and not whole and readers.writer is not None and worth_writing(lines):
                # If these layers are requested before the model reads the scene, it writes the overview.
                layers = replace(layers, needs_model=True)
            if slow or slow_layers:
                extra = {"tenant": owner.tenant, "job": scene.id}
                _log.warning("reading a scene took too long; it was stored without facts", extra=extra)
            extractions.append(
                SceneExtraction(
                    scene=scene,
                    # The layers of a scene that is not read now are made from what the rules find.
                    readings=readings if due else (),
                    layers=layers,
                    basis=basis,
                    spent=spent,
                    unrefined=unrefined,
                    too_slow=slow or slow_layers,
                )
            )
        return extractions

    async def _refined_scene(
        self, session_input: SessionInput, claim: JobClaim, readers: Readers, scene: Scene
    ) -> SceneExtraction:
        """Return the model's reading of a scene, or the local reader's again if the model's answer was unusable."""
        provided_by_message = ProvidedByMessage(session_input.session_uri, session_input.provided)
        lines = scene_text(session_input, scene, provided_by_message.covered)
        provided = provided_by_message.reading(scene)
        told = replace(lines, context=await load_context(self.graph, session_input, claim.session, scene, lines))
        with spending_apart() as spent:
            try:
                reading, slow = await readers.first(told), False
            except TooSlowError:
                reading, slow = plain_reading(), True
            except Exception as error:
                if not isinstance(error, MisreadError):
                    note_unreadable(error)
                reading, slow = await _or_plain(partial(readers.fallback, lines), plain_reading)
            if reading.reader == READER_NAME:
                reading = replace(reading, unconfirmed=True)
            if "model" in reading.path:
                readers.note_usefulness(reading.reader != READER_NAME)
            stored = session_input.stored.get(scene.id, {})
            basis = basis_of(scene, stored, provided, whole=True, every=readers.layers_every)
            readings = (provided, reading)
            writer = readers.writer if asks_for_overview(readings) else None
            layers, slow_layers = await _layers(lines, readings, basis, writer)
        return SceneExtraction(
            scene=scene, readings=readings, layers=layers, basis=basis, spent=spent, too_slow=slow or slow_layers
        )

    # Plan and commit

    async def _commit_in_turn(
        self,
        claim: JobClaim,
        session_input: SessionInput,
        scenes: list[SceneExtraction],
        judging: FactVerdicts,
        tokens: TokenSpending,
        *,
        refined: bool,
    ) -> None:
        """Plan the facts of the scenes and commit them; of two concurrent plans for one memory, the later is made anew.

        Args:
            refined: a model read the scenes; those that changed meanwhile are left out, and the job stays open.
        """
        step = "refine" if refined else "extract"
        async with self.user_locks.hold(f"{claim.tenant} {session_input.owner.user.id}"):
            for _ in range(_PLANS_MAX):
                # Read before the plan's reads, so that these see at least what the writes until then left.
                session_input, revision = await self._settled(session_input, claim)
                if refined:
                    session_input, scenes = await self._unchanged(claim, scenes)
                scenes, plan = await self._plan_readable(session_input, scenes, judging)
                cost = cost_of(tokens, plan.counts)
                self.job_context.step(f"{step} planned")
                refines = self.readers.with_model and not refined
                try:
                    await self._commit(
                        claim, session_input, plan, revision, cost, too_slow=_too_slow_message(scenes), refines=refines
                    )
                except StalePlanError:
                    continue
                self.job_context.step(f"{step} committed")
                _count(scenes, plan, cost)
                self.job_context.on_change(claim.tenant)
                return
        raise ConflictError(
            f"the memory of user {session_input.owner.user_id!r} keeps changing; the job is retried later"
        )

    async def _settled(self, session_input: SessionInput, claim: JobClaim) -> tuple[SessionInput, int]:
        """Return the input with the user's current properties, and the number of writes to the user's memory.

        The lease keeps the scenes unchanged.
        """
        parameters = {"tenant": claim.tenant, "user_node_id": session_input.owner.user.id}
        rows = await self.graph.run(statement("consolidation/settled_revision"), parameters)
        if not rows:
            raise ConflictError(
                f"user {session_input.owner.user_id!r} was forgotten while the job ran; there is nothing left to do"
            )
        return replace(session_input, user_properties=rows[0]["user_properties"]), rows[0]["revision"]

    async def _unchanged(
        self, claim: JobClaim, scenes: Sequence[SceneExtraction]
    ) -> tuple[SessionInput, list[SceneExtraction]]:
        """Return the present input and those scenes that did not change while a model read them."""
        found = await load_unrefined(self.graph, claim)
        if found is None:
            raise ConflictError("the session was forgotten while a model read it")
        session_input = replace(found[0], more=True)
        current = {scene.id: scene.content_hash for scene in session_input.scenes}
        unchanged = [one for one in scenes if current.get(one.scene.id) == one.scene.content_hash]
        if not unchanged:
            raise ConflictError("the scenes changed while a model read them; they are read again")
        tombstones, owner = await load_user_tombstones(self.graph, session_input.owner), session_input.owner
        return session_input, [
            replace(
                one,
                readings=tuple(
                    tombstones.without_forgotten(reading, one.scene.messages, owner) for reading in one.readings
                ),
            )
            for one in unchanged
        ]

    async def _plan_readable(
        self, session_input: SessionInput, scenes: list[SceneExtraction], judging: FactVerdicts
    ) -> tuple[list[SceneExtraction], DigestPlan]:
        """Return the scenes with their plan; scenes on whose facts planning fails keep only those of callers."""
        try:
            return scenes, await self._plan(session_input, scenes, judging)
        except Exception as error:
            note_unreadable(error)
        readable = []
        for one in scenes:
            try:
                await self._plan(session_input, [one], judging)
            except Exception as error:
                note_unreadable(error)
                provided = tuple(reading for reading in one.readings if reading.reader == CALLER)
                one = replace(one, readings=(*provided, plain_reading()))
            readable.append(one)
        return readable, await self._plan(session_input, readable, judging)

    async def _plan(
        self, session_input: SessionInput, scenes: Sequence[SceneExtraction], judging: FactVerdicts
    ) -> DigestPlan:
        """Resolve names, look up known facts and plan the rows of the commit."""
        owner, stored = session_input.owner, session_input.user_properties
        user_properties, scenes = with_declared_aliases(stored, scenes, owner)
        entities, touched = await entities_in(self.graph, owner, scenes)
        replaced = await find_replaced(self.graph, owner, scenes, entities)
        claims = [*(one.known for one in judging.values()), *(known.claim for known in replaced.values())]
        refined = [one.scene.id for one in scenes if any(reading.withdraws for reading in one.readings)]
        known = await load_known(self.graph, owner, scenes, entities, extra_claims=claims, refined=refined)
        planning = partial(
            plan_digest,
            replace(session_input, user_properties=user_properties),
            scenes,
            entities,
            touched,
            known.facts,
            known.mentions,
            recorded_at=self.job_context.clock(),
            member_ids=known.member_ids,
            judging=judging,
            replaced={name: known.id for name, known in replaced.items()},
        )
        try:
            plan = await run_off_loop_if_large(planning, planning_chars(scenes, known.facts))
        except TooSlowError as error:
            raise TooSlowError(
                f"planning {facts_in(scenes)} facts of {len(scenes)} scene(s) with {len(known.facts)} known ones took"
                f" too long ({error}); the messages of session {session_input.session_uri} are stored and searchable;"
                " forget some of these facts, or send them again in smaller parts, and retry the job"
            ) from error
        return replace(plan, own_names=changed_alias_properties(stored, user_properties))

    async def _commit(
        self,
        claim: JobClaim,
        session_input: SessionInput,
        plan: DigestPlan,
        revision: int,
        cost: dict[str, int],
        *,
        too_slow: str | None,
        refines: bool,
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
        recorded_at, now_ms = plan.recorded_at, self.job_context.now_ms()

        async def steps(writing: Writing) -> None:
            lock = {"tenant": tenant, "user_node_id": owner.user.id, "revision": revision}
            lock |= {"seen": plan.last_said, "names": plan.own_names}
            locked = await writing.run(statement("consolidation/lock_user"), lock)
            if not locked or not locked[0]["fresh"]:
                raise StalePlanError
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
                await enqueue(writing, tenant, [(claim.session, JobKind.REFINE)], now_ms=now_ms)
            if plan.episodes:
                await writing.run(
                    statement("consolidation/complete_episodes"), {"tenant": tenant, "ids": plan.episodes}
                )
            await enqueue_embedding(writing, tenant, unembedded, at=recorded_at)
            await finish_jobs(writing, [claim], more=session_input.more, now_ms=now_ms, too_slow=too_slow)
            merging = MergeWriter(writing=writing, tenant=tenant, at=recorded_at)
            changes = await merging.put_member_rows(plan.member_entities, plan.member_facts)
            touched = _touched_rows(plan)
            if affects_kinship(touched):
                changes += await merging.update_kinship(owner.user_id)
            about = subjects_in(touched, owner.user.id, owner.agent.id)
            changes += await settle_profile(writing, tenant, about, at=recorded_at)
            day = day_of(recorded_at)
            await writing.run(statement("consolidation/add_usage"), {"tenant": tenant, "day": day, "cost": cost})
            await append_changes(writing, tenant, owner.user_id, [*plan.changes, *changes], at=recorded_at)

        await self.graph.write(steps)


def _wants_model(lines: SceneText, provided: Reading, readers: Readers) -> bool:
    """Return whether a model is to read a scene, or to judge what was provided with it."""
    judged = readers.judge is not None and any(fact.correction is None for fact in provided.facts)
    return judged or (readers.with_model and wants_model(lines))


async def _layers(
    lines: SceneText, readings: Sequence[Reading], basis: LayerBasis, writer: LayerWriter | None
) -> tuple[SceneSummary, bool]:
    """Return the layers of a scene, and whether the low-cost fallback made them because the deadline passed."""
    shown = replace(lines, lines=lines.lines[: basis.messages])
    return await _or_plain(lambda: written_layers(shown, within(readings, basis), writer), lambda: plain_layers(shown))


async def _or_plain(read: Callable[[], Awaitable[T]], plain: Callable[[], T]) -> tuple[T, bool]:
    """Return what `read` makes of a scene, or the fallback `plain`, and whether the deadline passed."""
    try:
        return await read(), False
    except TooSlowError:
        return plain(), True
    except Exception as error:
        note_unreadable(error)
        return plain(), False


def _too_slow_message(scenes: Sequence[SceneExtraction]) -> str | None:
    """Return the dead letter's error for scenes that took too long, with URIs but no text; None without any."""
    slow = [extraction.scene.uri for extraction in scenes if extraction.too_slow]
    if not slow:
        return None
    return (
        f"TooSlowError: reading took too long and was stopped for {len(slow)} scene(s); their messages are stored and"
        f" searchable, no facts were read from them; cancel this dead letter once you have seen it: {', '.join(slow)}"
    )


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


# Metrics


def _count(scenes: Sequence[SceneExtraction], plan: DigestPlan, cost: Mapping[str, int]) -> None:
    """Count what one digest read and wrote; call it after the commit."""
    # A scene that a model is still to read is counted then.
    read = (reading for scene in scenes if not scene.unrefined for reading in scene.readings)
    for reading in (one for one in read if one.reader != CALLER):
        EXTRACTIONS.add(_outcome(reading))
        REJECTED.add("unreadable in the reader's answer", n=len(reading.dropped))
    FACTS.add(n=len(plan.facts))
    for rejected in plan.rejected:
        REJECTED.add(rejected.reason)
    MODEL_TOKENS.add("in", n=cost["tokens_in"])
    MODEL_TOKENS.add("out", n=cost["tokens_out"])
    EMBEDDING_TOKENS.add(n=cost["embedding_tokens"])


def _outcome(reading: Reading) -> str:
    if reading.needs_model:
        return "over_budget"
    if TOO_SLOW in reading.path:
        return "too_slow"
    if reading.reader != READER_NAME:
        return "model" if reading.path in ((), ("model",)) else "model_retried"
    return "rules_fallback" if "model" in reading.path else "rules"
