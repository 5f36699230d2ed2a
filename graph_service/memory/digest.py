"""Reading a session: unread messages → scenes → readings → accepted facts → one commit; the work `read`."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from extraction.embedding import Embedder
from extraction.layer_writer import LayerWriter
from extraction.reading import Reader, Reading, SceneText
from graph_service.graph.store import Graph, Writing
from graph_service.memory.affordable import affordable
from graph_service.memory.beings import load_candidates
from graph_service.memory.commit import StaleError, commit_digest
from graph_service.memory.digest_plan import DigestPlan, SceneRead, names_of, plan_digest
from graph_service.memory.known import load_known
from graph_service.memory.layers import written_layers
from graph_service.memory.outbox import Claim, finish
from graph_service.memory.pace import Pace
from graph_service.memory.scenes import SceneRules, is_ripe
from graph_service.memory.session_text import SessionText, brought_reading, load_session, scene_text
from schema.errors import ConflictError, MisreadError
from schema.scene import Scene

# How often a plan is made anew because the user's memory changed under it, before the work is given back.
_PLANS_MAX = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Readers:
    """Who reads scenes.

    Attributes:
        first: a model, or the rules when none is configured.
        fallback: the rules; they read a scene whose model answer was unusable, so that nothing said is lost.
        parallel: how many scenes are read at the same time.
        tokens_per_day: what the model may cost each tenant a day; 0 means no limit.
        writer: of overviews; None leaves them extractive.
        waits_for_ripe: read a scene when it will grow no more: a model is then asked once for each scene.
    """

    first: Reader
    fallback: Reader
    parallel: int = 4
    tokens_per_day: int = 0
    writer: LayerWriter | None = None
    waits_for_ripe: bool = False


async def read_session(
    graph: Graph,
    readers: Readers,
    held: Claim,
    pace: Pace,
    rules: SceneRules,
    *,
    embedder: Embedder | None = None,
    final: bool = False,
) -> bool:
    """Digests what is unread in one session; True when a rest is left.

    Args:
        embedder: tells where a scene's topic ends; None leaves that to the words.
        final: the session ends, so that every scene is ripe.

    Raises:
        UnavailableError: the model or Neo4j is away; nothing was written.
        ConflictError: the lease was lost, or the memory kept changing; nothing was written.
    """
    text = await load_session(graph, held, rules, embedder)
    pace.step("read loaded")
    if text is None:
        await _finish_empty(graph, held, pace)
        return False
    affordable_readers = await _affordable(graph, readers, held, pace)
    scenes = await _read_scenes(text, affordable_readers, rules, final=final)
    if not scenes:
        await _finish_empty(graph, held, pace)
        return False
    pace.step("read")
    for _ in range(_PLANS_MAX):
        plan = await _plan(graph, text, scenes, pace)
        pace.step("planned")
        try:
            await commit_digest(graph, text, plan, held, now_ms=pace.now_ms())
        except StaleError:
            text = await _refresh(graph, text, held, rules, embedder)
            continue
        pace.step("read committed")
        pace.on_change(held.tenant)
        return text.more
    raise ConflictError(f"the memory of user {text.owner.user_id!r} keeps changing; the work is tried again later")


async def _plan(graph: Graph, text: SessionText, scenes: Sequence[SceneRead], pace: Pace) -> DigestPlan:
    names = names_of(scenes)
    candidates = await load_candidates(graph, text.owner, names)
    known = await load_known(graph, text.owner, scenes, names, candidates)
    return plan_digest(
        text, scenes, names, candidates, known.facts, known.mentions, recorded_at=pace.clock(), held=known.held
    )


async def _refresh(
    graph: Graph, text: SessionText, held: Claim, rules: SceneRules, embedder: Embedder | None
) -> SessionText:
    """The same text with the user as it is now; the scenes cannot have changed, because the session is leased to us."""
    now = await load_session(graph, held, rules, embedder)
    if now is None:
        raise ConflictError(f"another worker has read session {held.session} meanwhile; nothing is left to do")
    return replace(text, user_properties=now.user_properties, revision=now.revision)


async def _read_scenes(text: SessionText, readers: Readers, rules: SceneRules, *, final: bool) -> list[SceneRead]:
    """The readings of scenes that changed; a scene that must wait for its reading has only what callers brought."""
    gate = asyncio.Semaphore(readers.parallel)
    waiting = {
        scene.id
        for scene in text.scenes
        if readers.waits_for_ripe and not is_ripe(scene, rules, newest_ms=text.newest_ms, final=final)
    }

    async def one(scene: Scene) -> SceneRead:
        lines = scene_text(text, scene)
        pending = scene.id in waiting
        async with gate:
            read = [] if pending else await _read(lines, readers)
        readings = [brought_reading(text.brought, scene), *read]
        layers, paid = await written_layers(lines, readings, None if pending else readers.writer)
        return SceneRead(scene=scene, readings=paid, layers=layers, pending=pending)

    # A scene that waited already and must go on waiting has not changed.
    due = [scene for scene in text.scenes if scene.id in text.changed or scene.id not in waiting]
    return list(await asyncio.gather(*(one(scene) for scene in due)))


async def _affordable(graph: Graph, readers: Readers, held: Claim, pace: Pace) -> Readers:
    budget, now = readers.tokens_per_day, pace.clock()
    first = await affordable(graph, held.tenant, readers.first, readers.fallback, tokens_per_day=budget, now=now)
    return replace(readers, first=first)


async def _read(lines: SceneText, readers: Readers) -> list[Reading]:
    if not any(line.fresh for line in lines.lines):
        return []
    try:
        return [await readers.first(lines)]
    except MisreadError:
        return [await readers.fallback(lines)]


async def _finish_empty(graph: Graph, held: Claim, pace: Pace) -> None:
    now_ms = pace.now_ms()

    async def steps(writing: Writing) -> None:
        await finish(writing, [held], more=False, now_ms=now_ms)

    await graph.write(steps)
