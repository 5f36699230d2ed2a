"""Reading a session: unread messages → scenes → readings → accepted facts → one commit; the work `read`."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from extraction.embeddings.embedder import Embedder
from extraction.llm.fact_judge import FactJudge
from extraction.llm.summary_writer import LayerWriter, worth_writing
from extraction.reader import Reader, Reading, SceneText
from extraction.rules.rule_reader import READER_NAME, TOO_SLOW, plain_reading
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.consolidation.commit import StaleError, commit_digest
from graph_service.memory.consolidation.fact_judging import SessionFactJudge
from graph_service.memory.consolidation.known_facts import load_known
from graph_service.memory.consolidation.plan import DigestPlan, SceneExtraction, names_of, plan_digest
from graph_service.memory.consolidation.plan_size import computed, facts_in, planned_chars
from graph_service.memory.consolidation.segmentation import SceneRules, is_ripe
from graph_service.memory.consolidation.session_input import (
    ProvidedByMessage,
    SessionInput,
    load_session_input,
    scene_text,
)
from graph_service.memory.consolidation.token_budget import affordable
from graph_service.memory.consolidation.user_aliases import (
    add_declared_aliases,
    changed_alias_properties,
    replace_user_aliases,
    stored_aliases,
)
from graph_service.memory.entity_resolution.candidate_lookup import load_candidates
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.keyed_lock import KeyedLock
from graph_service.memory.jobs.outbox import JobClaim, finish
from graph_service.memory.summaries.scene_summary import (
    asks_for_overview,
    basis_lines,
    basis_of,
    plain_layers,
    within,
    written_layers,
)
from graph_service.memory.tombstones import UserTombstones, load_user_tombstones
from graph_service.observability.metrics import FACTS, MODEL_TOKENS, READINGS, REJECTED
from schema.errors import ConflictError, MisreadError, TooSlowError
from schema.scene import Scene

_CALLER: Final = "caller"


def count_digest(scenes: Sequence[SceneExtraction], plan: DigestPlan) -> None:
    """Count what one digest read and wrote; to be called after its commit."""
    for reading in (reading for scene in scenes for reading in scene.readings if reading.reader != _CALLER):
        READINGS.add(_outcome(reading))
    FACTS.add(n=len(plan.facts))
    for rejected in plan.rejected:
        REJECTED.add(rejected.reason)
    MODEL_TOKENS.add("in", n=plan.cost["tokens_in"])
    MODEL_TOKENS.add("out", n=plan.cost["tokens_out"])


def _outcome(reading: Reading) -> str:
    if reading.owed:
        return "budget spent"
    if TOO_SLOW in reading.path:
        return "too slow"
    if reading.reader != READER_NAME:
        return "model" if reading.path in ((), ("model",)) else "model retried"
    return "fell back" if "model" in reading.path else "rules"


_log = logging.getLogger("mnemograph.worker")

# How often a plan is made anew because the user's memory changed under it, before the work is given back.
_PLANS_MAX = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """Who reads scenes.

    Attributes:
        first: a model, or the rules when none is configured.
        fallback: the rules; they read a scene whose model answer was unusable, so that nothing said is lost.
        parallel: how many scenes of a session are read at the same time by a model; the rules read one at a time.
        tokens_per_day: what the model may cost each tenant a day; 0 means no limit.
        writer: of overviews; None leaves them extractive.
        judge: of new facts that may touch known ones in other words; None leaves them to the rules.
        waits_for_ripe: read a scene when it will grow no more: a model is then asked once for each scene.
    """

    first: Reader
    fallback: Reader
    parallel: int = 4
    tokens_per_day: int = 0
    writer: LayerWriter | None = None
    judge: FactJudge | None = None
    waits_for_ripe: bool = False


async def read_session(
    graph: Graph,
    readers: Readers,
    held: JobClaim,
    job_context: JobContext,
    rules: SceneRules,
    turns: KeyedLock,
    *,
    embedder: Embedder | None = None,
    final: bool = False,
    whole: bool = False,
    until_ms: int | None = None,
) -> bool:
    """Digest what is unread in one session; True when a rest is left.

    Args:
        turns: of users, by which readings of one memory wait for each other.
        embedder: tells where a scene's topic ends; None leaves that to the words.
        final: the session ends, so that every scene is ripe.
        whole: somebody asks for the layer texts of every scene, ripe or not.
        until_ms: only what was said before, milliseconds since 1970; None for all of it.

    Raises:
        UnavailableError: the model or Neo4j is away; nothing was written.
        ConflictError: the lease was lost, or the memory kept changing; nothing was written.
    """
    text = await load_session_input(graph, held, rules, embedder, owed=whole, until_ms=until_ms)
    job_context.step("read loaded")
    if text is None:
        await _finish_empty(graph, held, job_context)
        return False
    affordable_readers = await _affordable(graph, readers, held, job_context)
    refused = await load_user_tombstones(graph, text.owner)
    scenes = await _read_scenes(text, affordable_readers, rules, refused, final=final, whole=whole)
    if not scenes:
        await _finish_empty(graph, held, job_context, text)
        return text.more
    job_context.step("read")
    judges = SessionFactJudge(judge=affordable_readers.judge)
    # Two plans on one memory at once: the later one would only be made again.
    async with turns.turn(f"{held.tenant} {text.owner.user.id}") as waited:
        if waited:
            text = await _refresh(graph, text, held)
        for _ in range(_PLANS_MAX):
            plan = await _plan(graph, text, scenes, judges, job_context)
            job_context.step("planned")
            try:
                await commit_digest(graph, text, plan, held, now_ms=job_context.now_ms(), too_slow=_too_slow(scenes))
            except StaleError:
                text = await _refresh(graph, text, held)
                continue
            job_context.step("read committed")
            count_digest(scenes, plan)
            job_context.on_change(held.tenant)
            return text.more
    raise ConflictError(f"the memory of user {text.owner.user_id!r} keeps changing; the work is tried again later")


async def _plan(
    graph: Graph,
    text: SessionInput,
    scenes: Sequence[SceneExtraction],
    judges: SessionFactJudge,
    job_context: JobContext,
) -> DigestPlan:
    owner, told = text.owner, add_declared_aliases(text.user_properties, scenes, text.owner)
    scenes = replace_user_aliases(scenes, stored_aliases(told), owner)
    names = names_of(scenes)
    candidates = await load_candidates(graph, owner, names)
    judging = await judges.on(graph, owner, scenes, names, candidates)
    judged = [verdict.known for verdict in judging.verdicts.values()]
    known = await load_known(graph, owner, scenes, names, candidates, also=judged)
    now = replace(text, user_properties=told)
    planning = partial(
        plan_digest,
        now,
        scenes,
        names,
        candidates,
        known.facts,
        known.mentions,
        recorded_at=job_context.clock(),
        held=known.held,
        judging=judging,
    )
    try:
        plan = await computed(planning, planned_chars(scenes, known.facts))
    except TooSlowError as error:
        raise TooSlowError(
            f"planning {facts_in(scenes)} facts of {len(scenes)} scene(s) beside {len(known.facts)} known ones took too"
            f" long ({error}); the messages of session {text.session_uri} are stored and searchable; forget some of"
            " these facts, or send them again in smaller parts, and try the work again"
        ) from error
    return replace(plan, own_names=changed_alias_properties(text.user_properties, told))


async def _refresh(graph: Graph, text: SessionInput, held: JobClaim) -> SessionInput:
    """Return the same text with the user as it is now; the scenes cannot have changed, because the session is leased to
    us.
    """
    wanted = {"tenant": held.tenant, "user_node_id": text.owner.user.id}
    rows = await graph.read(statement("consolidation/user_revision"), wanted)
    if not rows:
        raise ConflictError(f"user {text.owner.user_id!r} was forgotten meanwhile; nothing is left to do")
    return replace(text, **rows[0])


async def _read_scenes(  # noqa: C901  one pass over a scene, whose steps share what came before
    text: SessionInput, readers: Readers, rules: SceneRules, refused: UserTombstones, *, final: bool, whole: bool
) -> list[SceneExtraction]:
    """Return the readings of scenes that changed, and new layer texts where the old ones hold no more."""
    # Rules share the processor and few threads with everybody; only answers of a model are worth waiting for together.
    told_by = ProvidedByMessage(text.session_uri, text.brought)
    gate = asyncio.Semaphore(1 if readers.first is readers.fallback else readers.parallel)

    async def one(scene: Scene) -> SceneExtraction | None:
        stored = text.stored.get(scene.id, {})
        ripe = is_ripe(scene, rules, newest_ms=text.newest_ms, final=final)
        pending = readers.waits_for_ripe and not ripe
        changed = scene.id in text.changed
        due = changed or (bool(stored.get("unextracted")) and not pending)
        lines = scene_text(text, scene, told_by.covered)

        def kept(reading: Reading) -> Reading:
            return refused.without_forgotten(reading, scene.messages, text.owner)

        brought = kept(told_by.reading(scene))
        basis = basis_of(scene, stored, brought, whole=ripe or whole, pending=pending)
        owed = whole and bool(stored.get("overview_owed"))
        if not due and basis.fresh and not owed:
            return None
        async with gate:
            read, slow = [], False
            if due and not pending:
                told, slow = await _read(lines, readers)
                read = [kept(one) for one in told]
            readings = (brought, *read) if due else ()
            if basis.fresh and not read and not owed:
                return SceneExtraction(
                    scene=scene, readings=readings, layers=None, basis=basis, pending=pending, too_slow=slow
                )
            asks = readers.writer if whole or asks_for_overview(readings) else None
            # Texts of a scene that is not read now lean on the rules alone.
            leaning = readings
            if not read:
                told, again_slow = ([], False) if pending else await _read_by_rules(lines, readers)
                leaning, slow = (brought, *map(kept, told)), slow or again_slow
            shown = basis_lines(lines, basis)
            try:
                layers = await written_layers(shown, within(leaning, basis), asks)
            except TooSlowError:
                layers, slow = plain_layers(shown), True
            if pending and asks is None and readers.writer is not None and worth_writing(lines):
                # Whoever asks for the texts before the scene is read has the model write them.
                layers = replace(layers, owed=True)
            return SceneExtraction(
                scene=scene, readings=readings, layers=layers, basis=basis, pending=pending, too_slow=slow
            )

    read = await asyncio.gather(*(one(scene) for scene in text.scenes))
    for scene in read:
        if scene is not None and scene.too_slow:
            extra = {"tenant": text.owner.tenant, "work": scene.scene.id}
            _log.warning("reading a scene took too long; it was stored without facts", extra=extra)
    return [scene for scene in read if scene is not None]


def _too_slow(scenes: Sequence[SceneExtraction]) -> str | None:
    """Return what a dead letter says of scenes that took too long: which they are, never what they hold."""
    slow = [read.scene.uri for read in scenes if read.too_slow]
    if not slow:
        return None
    return (
        f"TooSlowError: reading took too long and was stopped for {len(slow)} scene(s); their messages are stored and"
        f" searchable, no facts were read from them; cancel this letter when it was seen: {', '.join(slow)}"
    )


async def _affordable(graph: Graph, readers: Readers, held: JobClaim, job_context: JobContext) -> Readers:
    budget, now = readers.tokens_per_day, job_context.clock()
    first = await affordable(graph, held.tenant, readers.first, readers.fallback, tokens_per_day=budget, now=now)
    # Over the budget nothing is asked of the model at all.
    return readers if first is readers.first else replace(readers, first=first, writer=None, judge=None)


async def _read(lines: SceneText, readers: Readers) -> tuple[list[Reading], bool]:
    """Return the readings of what is fresh, and whether the deadline passed and the plain way was taken."""
    if not any(line.fresh for line in lines.lines):
        return [], False
    try:
        return [await readers.first(lines)], False
    except TooSlowError:
        return [plain_reading()], True
    except MisreadError:
        return await _read_by_rules(lines, readers)


async def _read_by_rules(lines: SceneText, readers: Readers) -> tuple[list[Reading], bool]:
    try:
        return [await readers.fallback(lines)], False
    except TooSlowError:
        return [plain_reading()], True


async def _finish_empty(
    graph: Graph, held: JobClaim, job_context: JobContext, text: SessionInput | None = None
) -> None:
    now_ms = job_context.now_ms()
    # Facts whose messages no scene holds must not stand in the way of those that come after them.
    passed = text.episodes if text is not None and text.more else ()
    if passed:
        extra = {"tenant": held.tenant, "work": held.id}
        _log.warning(
            "%d calls brought facts for messages that no scene holds; they are passed over", len(passed), extra=extra
        )

    async def steps(writing: Writing) -> None:
        if passed:
            await writing.run(
                statement("consolidation/complete_episodes"), {"tenant": held.tenant, "ids": list(passed)}
            )
        await finish(writing, [held], more=text is not None and text.more, now_ms=now_ms)

    await graph.write(steps)
