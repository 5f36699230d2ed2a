"""The jobs over sessions: `embed`, `close` and `reextract`.

Each step is a commit and may be repeated, so after a crash the next worker continues from the stored state. The job
`extract` is in `graph_service/memory/consolidation`.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from extraction.embeddings.embedder import Embedder, embed_with_tokens, spoken
from extraction.token_spending import TokenSpending, spending
from graph_service.graph.driver_values import vector_parameter
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.memory.consolidation.readers import cost_of, day_of
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import JobClaim, JobKind, RunJob, SessionJobs, enqueue, finish_jobs
from graph_service.observability.metrics import EMBEDDING_TOKENS, EMBEDDINGS
from schema.errors import BrokenDataError, ConflictError
from schema.ids import TenantId
from schema.session import SessionState

# A commit of 256 vectors writes each 20 times faster than single commits; larger ones gain nothing.
_ROWS_MAX: Final = 256


async def embed_sessions(graph: Graph, embedder: Embedder, claims: Sequence[JobClaim], job_context: JobContext) -> bool:
    """Run the job `embed`: add vectors to up to 256 messages, 256 scenes and 256 facts of sessions, in one commit.

    Args:
        claims: claims of one tenant and one lease.

    Returns:
        True when more texts may be left; the jobs then stay open.
    """
    tenant, sessions = claims[0].tenant, sorted(claim.session for claim in claims)
    scope = {"tenant": tenant, "sessions": sessions, "rows_max": _ROWS_MAX}
    messages = await graph.read(statement("jobs/unembedded_messages"), scope)
    scenes = await graph.read(statement("jobs/unembedded_scenes"), scope)
    facts = await graph.read(statement("jobs/unembedded_facts"), scope)
    job_context.step("embed loaded")
    message_texts = [spoken(row["speaker"], row["text"]) for row in messages]
    scene_texts = [text for row in scenes for text in (row["abstract"], row["overview"])]
    with spending(TokenSpending()) as tokens:
        message_vectors = await embed_with_tokens(embedder, message_texts)
        vectors = await embedder.embed([*scene_texts, *(row["statement"] for row in facts)])
    job_context.step("embed computed")
    message_rows = [
        {"id": row["id"], "vector": vector_parameter(one.vector), "tokens": one.tokens}
        for row, one in zip(messages, message_vectors, strict=True)
    ]
    parameters_of_texts = map(vector_parameter, vectors)
    # In the order of the texts: abstract and overview of each scene, then the facts.
    scene_rows = [
        {
            "id": row["id"],
            "layers_hash": row["layers_hash"],
            "abstract_vector": next(parameters_of_texts),
            "overview_vector": next(parameters_of_texts),
        }
        for row in scenes
    ]
    fact_rows = [
        {**{name: row[name] for name in ("id", "predicate", "statement")}, "vector": vector}
        for row, vector in zip(facts, parameters_of_texts, strict=True)
    ]
    for rows in (message_rows, scene_rows, fact_rows):
        rows.sort(key=lambda row: str(row["id"]))
    more = _ROWS_MAX in (len(messages), len(scenes), len(facts))
    now_ms = job_context.now_ms()
    users = sorted({row["user_node_id"] for row in (*scenes, *facts)})

    async def steps(writing: Writing) -> None:
        if users:
            await writing.run(statement("locks/lock_users"), {"tenant": tenant, "user_node_ids": users})
        if message_rows:
            written = await writing.run(statement("jobs/set_message_vectors"), {"tenant": tenant, "rows": message_rows})
            if len(written) != len(message_rows):
                raise ConflictError("messages were forgotten while they were embedded; the others are embedded again")
        if scene_rows:
            await writing.run(statement("jobs/set_scene_vectors"), {"tenant": tenant, "rows": scene_rows})
        if fact_rows:
            await writing.run(statement("jobs/set_fact_vectors"), {"tenant": tenant, "rows": fact_rows})
        await finish_jobs(writing, claims, more=more, now_ms=now_ms)
        if tokens.embedding_tokens:
            parameters = {"tenant": tenant, "day": day_of(job_context.clock()), "cost": cost_of(tokens)}
            await writing.run(statement("consolidation/add_usage"), parameters)

    await graph.write(steps)
    job_context.step("embed committed")
    EMBEDDING_TOKENS.add(n=tokens.embedding_tokens)
    EMBEDDINGS.add("message", n=len(message_rows))
    EMBEDDINGS.add("scene", n=len(scene_rows))
    EMBEDDINGS.add("fact", n=len(fact_rows))
    return more


async def close_session(
    graph: Graph,
    claim: JobClaim,
    job_context: JobContext,
    *,
    embed: RunJob | None,
    extract: RunJob,
    summarize: Callable[[TenantId, str], Awaitable[bool]] | None,
    refines: bool = False,
) -> None:
    """Run the job `close`: embed the texts of a session, then extract from its remaining messages.

    The session's states are closing → indexing → extracting → closed. A session that a new message has made active
    again stays open.

    Args:
        embed: None without an embedder; the session then closes without vectors, which are added later.
        extract: extracts from unread messages and from every unextracted scene.
        summarize: updates the layers of the session, if those of its scenes changed; None leaves them.
        refines: a model reads the scenes later.

    Raises:
        UnavailableError: Neo4j or the embedder does not answer; the session keeps its current state.
        ConflictError: the lease was lost.
    """
    closing, indexing, extracting = SessionState.CLOSING, SessionState.INDEXING, SessionState.EXTRACTING
    active = not await _advance(graph, claim, job_context, (closing, indexing, extracting), indexing)
    if not active:
        job_context.step("close indexing")
        await _embed(graph, embed, claim, job_context)
        active = not await _advance(graph, claim, job_context, (indexing,), extracting)
    if not active:
        job_context.step("close extracting")
        jobs = SessionJobs(graph, job_context)
        await jobs.run_all(extract, claim.tenant, claim.session, JobKind.EXTRACT, even_if_done=True)
        if summarize is not None:
            await summarize(claim.tenant, claim.session)
        job_context.step("close summarised")
        await _embed(graph, embed, claim, job_context)
    now_ms = job_context.now_ms()

    async def steps(writing: Writing) -> None:
        if not active:
            parameters = _state_parameters(claim, job_context, (extracting,), SessionState.CLOSED)
            await writing.run(statement("sessions/set_state"), parameters)
        await finish_jobs(writing, [claim], more=False, now_ms=now_ms)
        if refines:
            await enqueue(writing, claim.tenant, [(claim.session, JobKind.REFINE)], now_ms=now_ms)

    await graph.write(steps)
    job_context.step("close committed")


async def _embed(graph: Graph, embed: RunJob | None, claim: JobClaim, job_context: JobContext) -> None:
    if embed is not None:
        await SessionJobs(graph, job_context).run_all(embed, claim.tenant, claim.session, JobKind.EMBED)


async def _advance(
    graph: Graph, claim: JobClaim, job_context: JobContext, before: tuple[SessionState, ...], state: SessionState
) -> bool:
    """Set the session's state if the current one is in `before`; return whether it was set."""
    parameters = _state_parameters(claim, job_context, before, state)
    return bool(await graph.run(statement("sessions/set_state"), parameters))


def _state_parameters(
    claim: JobClaim, job_context: JobContext, before: tuple[SessionState, ...], state: SessionState
) -> dict[str, object]:
    return {
        "tenant": claim.tenant,
        "session": claim.session,
        "lease": claim.lease,
        "before": [one.value for one in before],
        "state": state.value,
        "now": job_context.clock(),
        "now_ms": job_context.now_ms(),
    }


# Extracts from a claimed session up to a time in milliseconds since 1970; None for all of it.
ExtractUntil = Callable[[JobClaim, int | None], Awaitable[bool]]


async def reread_sessions(graph: Graph, read: ExtractUntil, claim: JobClaim, job_context: JobContext) -> None:
    """Run the job `reextract`: extract from a user's sessions again, after some messages were forgotten.

    Messages are read in their order, on which conflict resolution depends: each session is read up to the first unread
    message of the next one.

    Raises:
        UnavailableError: Neo4j or the model does not answer; the parts committed so far remain.
        ConflictError: a lease was lost.
    """
    while part := await _next_part(graph, claim):
        session, until_ms = part

        async def run(read_claim: JobClaim, until_ms: int | None = until_ms) -> bool:
            return await read(read_claim, until_ms)

        jobs = SessionJobs(graph, job_context)
        try:
            left = await jobs.run_once(run, claim.tenant, session, JobKind.EXTRACT, even_if_done=True)
        except BrokenDataError:
            if await _next_part(graph, claim) == part:
                raise
            continue  # The session was forgotten meanwhile.
        if left is not None:
            job_context.step("reextract session done")
    now_ms = job_context.now_ms()
    await graph.write(lambda writing: finish_jobs(writing, [claim], more=False, now_ms=now_ms))
    job_context.step("reextract committed")


async def _next_part(graph: Graph, claim: JobClaim) -> tuple[str, int | None] | None:
    """Return the node id of the session to process next, and the end of its part in ms; None when nothing is left."""
    rows = await graph.read(statement("forgetting/sessions_to_reread"), {"tenant": claim.tenant, "id": claim.id})
    if not rows:
        return None
    first_ms = rows[0]["first_ms"]
    return rows[0]["session"], max(rows[1]["first_ms"], first_ms + 1) if len(rows) > 1 else None
