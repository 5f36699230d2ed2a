"""Giving vectors to messages, scene layers and facts: the work `embed` of sessions, many sessions in one commit."""

from collections.abc import Sequence
from typing import Any

from extraction.embedding import Embedder
from extraction.token_embedding import embed_with_tokens
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from graph_service.graph.vector_parameter import vector_parameter
from graph_service.measures import EMBEDDED
from graph_service.memory.outbox import Claim, finish
from graph_service.memory.pace import Pace
from schema.errors import ConflictError

# One commit of 256 vectors writes 20 times faster than single ones (performance.md); more gains nothing.
_ROWS_MAX = 256


async def embed_sessions(graph: Graph, embedder: Embedder, held: Sequence[Claim], pace: Pace) -> bool:
    """Embeds what waits in sessions of one tenant, at most 256 of messages, scenes and facts each; the rest stays open.

    Args:
        held: claims of one tenant with one lease.

    Returns:
        Whether a rest is left.
    """
    tenant, sessions = held[0].tenant, sorted(claim.session for claim in held)
    scope = {"tenant": tenant, "sessions": sessions, "rows_max": _ROWS_MAX}
    messages = await graph.read(statement("read/unembedded_messages"), scope)
    scenes = await graph.read(statement("read/unembedded_scenes"), scope)
    facts = await graph.read(statement("read/unembedded_facts"), scope)
    pace.step("embed loaded")
    spoken_texts = [spoken(row["speaker"], row["text"]) for row in messages]
    embedded = await embed_with_tokens(embedder, spoken_texts)
    texts = [text for row in scenes for text in (row["abstract"], row["overview"])]
    layers = await embedder.embed([*texts, *(row["statement"] for row in facts)])
    pace.step("embedded")
    message_rows = [
        {"id": row["id"], "vector": vector_parameter(one.vector), "tokens": one.tokens}
        for row, one in zip(messages, embedded, strict=True)
    ]
    pairs = zip(layers[: len(texts) : 2], layers[1 : len(texts) : 2], strict=True)
    scene_rows = [
        {
            "id": row["id"],
            "layers_hash": row["layers_hash"],
            "abstract_vector": vector_parameter(abstract),
            "overview_vector": vector_parameter(overview),
        }
        for row, (abstract, overview) in zip(scenes, pairs, strict=True)
    ]
    fact_rows = [
        {
            "id": row["id"],
            "predicate": row["predicate"],
            "statement": row["statement"],
            "vector": vector_parameter(vector),
        }
        for row, vector in zip(facts, layers[len(texts) :], strict=True)
    ]
    more = _ROWS_MAX in (len(messages), len(scenes), len(facts))
    now_ms = pace.now_ms()

    users = sorted({row["user_node_id"] for row in (*scenes, *facts)})

    async def steps(writing: Writing) -> None:
        if users:
            await writing.run(statement("write/lock_users"), {"tenant": tenant, "user_node_ids": users})
        if message_rows:
            rows = sorted(message_rows, key=_by_id)
            written = await writing.run(statement("write/set_message_vectors"), {"tenant": tenant, "rows": rows})
            if len(written) != len(rows):
                raise ConflictError("messages were forgotten while they were embedded; the others are embedded again")
        if scene_rows:
            rows = sorted(scene_rows, key=_by_id)
            await writing.run(statement("write/set_scene_vectors"), {"tenant": tenant, "rows": rows})
        if fact_rows:
            rows = sorted(fact_rows, key=_by_id)
            await writing.run(statement("write/set_fact_vectors"), {"tenant": tenant, "rows": rows})
        await finish(writing, held, more=more, now_ms=now_ms)

    await graph.write(steps)
    pace.step("embed committed")
    EMBEDDED.add("message", n=len(message_rows))
    EMBEDDED.add("scene", n=len(scene_rows))
    EMBEDDED.add("fact", n=len(fact_rows))
    return more


def spoken(speaker: str | None, text: str) -> str:
    """What is embedded for a message: who says it is part of what it means.

    Source: retrieval.md, dense over "speaker: text".
    """
    return f"{speaker}: {text}" if speaker else text


def _by_id(row: dict[str, Any]) -> str:
    return str(row["id"])
