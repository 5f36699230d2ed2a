"""The job `embed`: add vectors to messages, scene layers and facts of several sessions in one commit."""

from collections.abc import Sequence
from typing import Final

from extraction.embeddings.embedder import Embedded, Embedder, embed_with_tokens, spoken
from extraction.token_spending import TokenSpending, spending
from graph_service.graph.driver_values import vector_parameter
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.consolidation.token_budget import cost_of, day_of
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import JobClaim, finish_jobs
from graph_service.observability.metrics import EMBEDDING_TOKENS, EMBEDDINGS
from schema.errors import ConflictError

# A commit of 256 vectors writes each 20 times faster than single commits; larger ones gain nothing.
_ROWS_MAX: Final = 256


async def embed_sessions(graph: Graph, embedder: Embedder, claims: Sequence[JobClaim], job_context: JobContext) -> bool:
    """Embed up to 256 messages, 256 scenes and 256 facts of sessions of one tenant.

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
    message_rows = _message_rows(messages, message_vectors)
    scene_rows = _scene_rows(scenes, vectors[: len(scene_texts)])
    fact_rows = _fact_rows(facts, vectors[len(scene_texts) :])
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


def _message_rows(messages: Sequence[Row], embedded: Sequence[Embedded]) -> list[Row]:
    rows = [
        {"id": row["id"], "vector": vector_parameter(one.vector), "tokens": one.tokens}
        for row, one in zip(messages, embedded, strict=True)
    ]
    return sorted(rows, key=_by_id)


def _scene_rows(scenes: Sequence[Row], vectors: Sequence[list[float]]) -> list[Row]:
    """Return rows with two vectors each; `vectors` alternates abstract and overview."""
    rows = [
        {
            "id": row["id"],
            "layers_hash": row["layers_hash"],
            "abstract_vector": vector_parameter(abstract),
            "overview_vector": vector_parameter(overview),
        }
        for row, abstract, overview in zip(scenes, vectors[::2], vectors[1::2], strict=True)
    ]
    return sorted(rows, key=_by_id)


def _fact_rows(facts: Sequence[Row], vectors: Sequence[list[float]]) -> list[Row]:
    columns = ("id", "predicate", "statement")
    rows = [
        {**{name: row[name] for name in columns}, "vector": vector_parameter(vector)}
        for row, vector in zip(facts, vectors, strict=True)
    ]
    return sorted(rows, key=_by_id)


def _by_id(row: Row) -> str:
    return str(row["id"])
