"""Rank candidates in the modes that a question or the settings may choose instead of the default (`ranking`). Pure.

`LAYERED` weights the similarities of abstract, overview and messages by 0.2, 0.3 and 0.5, and lowers its threshold
until it finds hits. `SIMILARITY_IMPORTANCE` weights similarity and importance by 0.7 and 0.3. All use the candidates of
the statement `recall/recall`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from extraction.query_analysis import Intent, QueryAnalysis
from graph_service.config.sections import RecallSettings
from graph_service.memory.recall.candidates import Candidate, Hit, LayerSimilarities, Removed
from graph_service.memory.recall.query import HitKind
from schema.ids import name_key

# Returns the parts of a candidate's score; None if this step of the layered mode does not find the candidate.
_Scorer = Callable[[Candidate], Mapping[str, float] | None]
_STEP: Final = 0.1
_METADATA: Final = {"entity_match": 0.5, "time_range": 0.3, "speaker": 0.2}
DEFAULTS: Final = RecallSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """The hits of a mode, best first.

    Attributes:
        search_path: steps that were tried, the last of which found the hits; empty in the default mode.
        removed: number of candidates that the last step did not find.
    """

    hits: tuple[Hit, ...]
    search_path: tuple[str, ...]
    removed: tuple[Removed, ...] = ()


def by_layers(
    candidates: Sequence[Candidate],
    layers: Mapping[str, LayerSimilarities],
    settings: RecallSettings,
    *,
    analysis: QueryAnalysis,
) -> Ordered:
    """Return the hits of the first step that finds any: by layers, by similarity alone, by metadata, by words.

    The threshold applies to the abstract (L0) of a scene. A message also scores with the layers of its scene, and a
    scene with its best message. Facts have no layers, so only the later steps find them.

    Args:
        layers: similarities by id of message or scene.
    """
    best = _best_messages(candidates, layers)
    path: list[str] = []
    steps: list[tuple[str, _Scorer]] = []
    if any(candidate.cosine is not None for candidate in candidates):
        for at in thresholds(settings, analysis.intent):
            steps.append((f"layers ≥ {at:.2f}", _layered_by(layers, settings, at, best)))
        floor = settings.layer_floor
        steps.append((f"similarity ≥ {floor:.2f}", lambda one: _similar(one, floor)))
    steps.append(("metadata", _metadata_of(candidates, analysis)))
    steps.append(("words", _words_of(candidates)))
    for name, parts_of in steps:
        path.append(name)
        found = [(one, parts) for one in candidates if (parts := parts_of(one)) is not None]
        if found:
            left_out = len(candidates) - len(found)
            removed = (Removed(reason=f"not found by {name}", count=left_out),) if left_out else ()
            return Ordered(hits=_ordered(found), search_path=tuple(path), removed=removed)
    removed = (Removed(reason="not found by any step", count=len(candidates)),) if candidates else ()
    return Ordered(hits=(), search_path=tuple(path), removed=removed)


def thresholds(settings: RecallSettings, intent: Intent) -> list[float]:
    """Return the similarity thresholds to try for an intent: its own, then lower ones down to the floor."""
    own = {
        Intent.RELATIONAL: settings.relational_threshold,
        Intent.ENTITY: settings.entity_threshold,
        Intent.FACTUAL: settings.factual_threshold,
    }
    steps = [own.get(intent, settings.layer_threshold)]
    while steps[-1] > settings.layer_floor:
        steps.append(max(round(steps[-1] - _STEP, 6), settings.layer_floor))
    return steps


def by_similarity_and_importance(candidates: Sequence[Candidate], settings: RecallSettings) -> Ordered:
    """Return the candidates by weighted similarity and importance; the word score replaces a missing similarity."""
    words = _words_of(candidates)
    found = []
    for one in candidates:
        alike = one.cosine if one.cosine is not None else (words(one) or {"lexical": 0.0})["lexical"]
        parts = {
            "similarity": settings.similarity_weight * max(alike, 0.0),
            "importance": settings.importance_weight * ((one.importance or 5) / 10),
        }
        found.append((one, parts))
    return Ordered(hits=_ordered(found), search_path=("similarity and importance",))


def _ordered(found: Sequence[tuple[Candidate, Mapping[str, float]]]) -> tuple[Hit, ...]:
    hits = []
    for candidate, parts in found:
        rounded = {name: round(part, 6) for name, part in parts.items()}
        hits.append(Hit(candidate=candidate, score=round(sum(rounded.values()), 6), parts=rounded))
    return tuple(sorted(hits, key=lambda one: (-one.score, one.candidate.kind, one.candidate.id)))


def _best_messages(candidates: Sequence[Candidate], layers: Mapping[str, LayerSimilarities]) -> dict[str, float]:
    """Return for each scene the cosine of its best message."""
    best: dict[str, float] = {}
    for one in candidates:
        if one.kind is HitKind.MESSAGE and one.cosine is not None and (of_scene := layers.get(one.id)) is not None:
            best[of_scene.scene_id] = max(one.cosine, best.get(of_scene.scene_id, -1.0))
    return best


def _layered_by(
    layers: Mapping[str, LayerSimilarities], settings: RecallSettings, threshold: float, best: Mapping[str, float]
) -> _Scorer:
    def parts(one: Candidate) -> Mapping[str, float] | None:
        of_scene = layers.get(one.id)
        if of_scene is None or of_scene.abstract is None or of_scene.abstract < threshold:
            return None
        detail = one.cosine if one.kind is HitKind.MESSAGE else best.get(of_scene.scene_id)
        return {
            "abstract": settings.abstract_weight * of_scene.abstract,
            "overview": settings.overview_weight * (of_scene.overview or 0.0),
            "detail": settings.detail_weight * (detail or 0.0),
        }

    return parts


def _similar(one: Candidate, threshold: float) -> Mapping[str, float] | None:
    return None if one.cosine is None or one.cosine < threshold else {"similarity": one.cosine}


def _metadata_of(candidates: Sequence[Candidate], analysis: QueryAnalysis) -> _Scorer:
    best = max((one.scores.get("entity", 0.0) for one in candidates), default=0.0)
    time = analysis.time or analysis.event_time

    def parts(one: Candidate) -> Mapping[str, float] | None:
        features = {
            "entity_match": one.scores.get("entity", 0.0) / best if best else 0.0,
            "time_range": 1.0 if "happened" in one.scores or (time is not None and time.contains(one.said_at)) else 0.0,
            "speaker": 1.0 if one.speaker and name_key(one.speaker) in analysis.name_keys else 0.0,
        }
        return {name: _METADATA[name] * value for name, value in features.items()} if any(features.values()) else None

    return parts


def _words_of(candidates: Sequence[Candidate]) -> _Scorer:
    best = {kind: max((_word_score(one) for one in candidates if one.kind is kind), default=0.0) for kind in HitKind}

    def parts(one: Candidate) -> Mapping[str, float] | None:
        score = _word_score(one)
        return {"lexical": score / best[one.kind]} if score > 0 else None

    return parts


def _word_score(one: Candidate) -> float:
    return max(one.scores.get("words", 0.0), one.scores.get("stems", 0.0))
