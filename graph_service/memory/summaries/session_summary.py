"""Write the summary layers of a session from those of its scenes, if these changed: by the model, or extractive."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from extraction.extractive_summary import SummarizedScene, summarize_session
from extraction.llm.summary_writer import SessionWriter
from extraction.unreadable import read_or
from graph_service.graph.statements import statement
from graph_service.graph.store import Graph
from graph_service.memory.summaries.scene_summary import EXTRACTIVE
from schema.errors import MisreadError, MnemosceneError
from schema.ids import TenantId, content_hash
from schema.zones import moment_in, newest_zone

_log = logging.getLogger("mnemoscene.layers")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layers:
    """Layers of a session.

    Attributes:
        made_by: the model's name, or `extractive`.
        owed: the model could not be asked, so the next update asks it again.
    """

    title: str
    abstract: str
    overview: str
    made_by: str = EXTRACTIVE
    owed: bool = False


# Stored instead of the key of the scenes while the model is to write the layers later.
_OWED = "owed"


def scenes_key(hashes: Sequence[str]) -> str:
    """Return the key of a session's layers: the hash of the layers of its scenes, in order."""
    return content_hash("session", *hashes)


async def update_session_summary(
    graph: Graph,
    tenant: TenantId,
    session: str,
    *,
    now: datetime,
    writer: SessionWriter | None = None,
    owed: bool = False,
) -> bool:
    """Update the layers of a session (node id) if those of its scenes changed; return whether they were stored.

    If a scene changes meanwhile, nothing is stored, and the next call updates the layers.

    Args:
        writer: writes the layers of sessions with several scenes; if it fails, and without one, they are extractive.
        owed: a model writes the layers of sessions with several scenes later.
    """
    rows = await graph.read(statement("summaries/scenes_of_session"), {"tenant": tenant, "session": session})
    if not rows:
        return False
    row = rows[0]
    hashes = [scene["layers_hash"] for scene in row["scenes"]]
    key = scenes_key(hashes)
    if row["layers_hash"] == key or not row["scenes"]:
        return False
    zone = newest_zone(row["scenes"])
    scenes = [summarized_scene(scene, scene["zone"], zone) for scene in row["scenes"]]
    layers = await _layers_of(scenes, row["scenes"], writer, owed=owed)
    parameters = {
        "tenant": tenant,
        "session": session,
        "scene_hashes": hashes,
        "layers": {
            "title": layers.title,
            "abstract": layers.abstract,
            "overview": layers.overview,
            "abstract_by": layers.made_by,
            "overview_by": layers.made_by,
            "layers_hash": _OWED if layers.owed else key,
            "layers_at": now,
        },
    }
    return bool(await graph.run(statement("summaries/set_session_summary"), parameters))


async def _layers_of(
    scenes: Sequence[SummarizedScene], rows: Sequence[Mapping[str, Any]], writer: SessionWriter | None, *, owed: bool
) -> _Layers:
    owed = owed and len(scenes) > 1
    if writer is not None and len(scenes) > 1:
        try:
            written = await writer(scenes)
        except MisreadError as error:
            _log.warning("a session's summary is extractive: %s", error)
        except MnemosceneError as error:
            _log.warning("a session's summary is extractive until the model answers: %s", error)
            owed = True
        else:
            return _Layers(
                title=written.title, abstract=written.abstract, overview=written.overview, made_by=written.made_by
            )
    plain = read_or(summarize_session(scenes[:1]), summarize_session, scenes)
    # A session of one scene has the scene's layers, whoever wrote them.
    made_by = rows[0].get("abstract_by") or EXTRACTIVE if len(rows) == 1 else EXTRACTIVE
    return _Layers(title=plain.title, abstract=plain.abstract, overview=plain.overview, made_by=made_by, owed=owed)


def summarized_scene(scene: Mapping[str, Any], *zones: str | None) -> SummarizedScene:
    """Return the stored summary of a scene; its day is that in the first known zone."""
    return SummarizedScene(
        title=scene["name"] or "",
        abstract=scene["abstract"] or "",
        overview=scene["overview"] or "",
        start=moment_in(scene["first_seen"], *zones),
        messages=scene["evidence_n"] or 0,
    )
