"""Giving vectors to messages, scene layers and facts: the work `embed` of sessions, many sessions in one commit."""

from collections.abc import Sequence

from extraction.embeddings.embedder import Embedded, Embedder, embed_with_tokens, spoken
from graph_service.graph.driver_values import vector_parameter
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Row, Writing
from graph_service.memory.jobs.job_context import JobContext
from graph_service.memory.jobs.outbox import JobClaim, finish
from graph_service.observability.metrics import EMBEDDED
from schema.errors import ConflictError

# One commit of 256 vectors writes 20 times faster than single ones (performance.md); more gains nothing.
_ROWS_MAX = 256


async def embed_sessions(graph: Graph, embedder: Embedder, held: Sequence[JobClaim], job_context: JobContext) -> bool:
    """Embed what waits in sessions of one tenant, at most 256 of messages, scenes and facts each; the rest stays open.

    Args:
        held: claims of one tenant with one lease.

    Returns:
        Whether a rest is left.
    """
    tenant, sessions = held[0].tenant, sorted(claim.session for claim in held)
    scope = {"tenant": tenant, "sessions": sessions, "rows_max": _ROWS_MAX}
    messages = await graph.read(statement("jobs/unembedded_messages"), scope)
    scenes = await graph.read(statement("jobs/unembedded_scenes"), scope)
    facts = await graph.read(statement("jobs/unembedded_facts"), scope)
    job_context.step("embed loaded")
    spoken_texts = [spoken(row["speaker"], row["text"]) for row in messages]
    embedded = await embed_with_tokens(embedder, spoken_texts)
    texts = [text for row in scenes for text in (row["abstract"], row["overview"])]
    layers = await embedder.embed([*texts, *(row["statement"] for row in facts)])
    job_context.step("embedded")
    message_rows = _message_rows(messages, embedded)
    scene_rows = _scene_rows(scenes, layers[: len(texts)])
    fact_rows = _fact_rows(facts, layers[len(texts) :])
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
        await finish(writing, held, more=more, now_ms=now_ms)

    await graph.write(steps)
    job_context.step("embed committed")
    EMBEDDED.add("message", n=len(message_rows))
    EMBEDDED.add("scene", n=len(scene_rows))
    EMBEDDED.add("fact", n=len(fact_rows))
    return more


def _message_rows(messages: Sequence[Row], embedded: Sequence[Embedded]) -> list[Row]:
    rows = [
        {"id": row["id"], "vector": vector_parameter(one.vector), "tokens": one.tokens}
        for row, one in zip(messages, embedded, strict=True)
    ]
    return sorted(rows, key=_by_id)


def _scene_rows(scenes: Sequence[Row], vectors: Sequence[list[float]]) -> list[Row]:
    """Of each scene two vectors, one after the other."""
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
    said = ("id", "predicate", "statement")
    rows = [
        {**{name: row[name] for name in said}, "vector": vector_parameter(vector)}
        for row, vector in zip(facts, vectors, strict=True)
    ]
    return sorted(rows, key=_by_id)


def _by_id(row: Row) -> str:
    return str(row["id"])
