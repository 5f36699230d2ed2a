"""Compute the summary layers of a session from those of its scenes, if these changed."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from extraction.extractive_summary import SummarizedScene, summarize_session
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph, Writing
from schema.ids import TenantId, content_hash


def scenes_key(hashes: Sequence[str]) -> str:
    """Return the key of a session's layers: the hash of the layers of its scenes, in order."""
    return content_hash("session", *hashes)


async def update_session_summary(graph: Graph, tenant: TenantId, session: str, *, now: datetime) -> bool:
    """Update the layers of a session (node id) if those of its scenes changed; return whether they were stored.

    If a scene changes meanwhile, nothing is stored, and the next call updates the layers.

    Raises:
        UnavailableError: Neo4j does not answer.
    """
    rows = await graph.read(statement("summaries/scenes_of_session"), {"tenant": tenant, "session": session})
    if not rows:
        return False
    row = rows[0]
    hashes = [scene["layers_hash"] for scene in row["scenes"]]
    key = scenes_key(hashes)
    if row["layers_hash"] == key or not row["scenes"]:
        return False
    layers = summarize_session([_summarized_scene(scene) for scene in row["scenes"]])
    parameters = {
        "tenant": tenant,
        "session": session,
        "scene_hashes": hashes,
        "layers": {
            "title": layers.title,
            "abstract": layers.abstract,
            "overview": layers.overview,
            "layers_hash": key,
            "layers_at": now,
        },
    }

    async def steps(writing: Writing) -> bool:
        return bool(await writing.run(statement("summaries/set_session_summary"), parameters))

    return await graph.write(steps)


def _summarized_scene(scene: Mapping[str, Any]) -> SummarizedScene:
    return SummarizedScene(
        title=scene["name"] or "",
        abstract=scene["abstract"] or "",
        overview=scene["overview"] or "",
        start=scene["first_seen"],
        messages=scene["evidence_n"] or 0,
    )
