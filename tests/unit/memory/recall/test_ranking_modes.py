"""Test the ranking modes and their fallbacks."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.query_analysis import Intent, QueryAnalysis
from graph_service.config.sections import RecallSettings
from graph_service.memory.recall.candidates import Candidate, LayerSimilarities
from graph_service.memory.recall.query import HitKind
from graph_service.memory.recall.ranking_modes import (
    DEFAULTS,
    by_layers,
    by_similarity_and_importance,
    thresholds,
)
from schema.timespan import Timespan
from tests.support.builders import NOON
from tests.support.candidates import a_candidate

cosines = st.floats(-1, 1).map(lambda value: round(value, 4))


def in_scene(scene: str, abstract: float | None, overview: float | None = None) -> LayerSimilarities:
    return LayerSimilarities(scene_id=scene, abstract=abstract, overview=overview)


@st.composite
def finds(draw: st.DrawFn) -> tuple[list[Candidate], dict[str, LayerSimilarities]]:
    """Draw messages and scenes with their layer scores, and facts."""
    candidates, layers = [], {}
    for number in range(draw(st.integers(0, 8))):
        kind = draw(st.sampled_from(list(HitKind)))
        words = draw(st.floats(0, 9)) if draw(st.booleans()) else 0.0
        scores = {"words": words} if words else {}
        cosine = draw(st.none() | cosines) if kind is not HitKind.FACT else None
        name = f"{kind}-{number}"
        candidates.append(a_candidate(name, kind, cosine=cosine, scores=scores, importance=draw(st.integers(1, 10))))
        if kind is not HitKind.FACT and draw(st.booleans()):
            layers[name] = in_scene(f"scene-{number % 3}", draw(st.none() | cosines), draw(st.none() | cosines))
    return candidates, layers


@given(finds(), st.sampled_from(["general", "relational", "entity", "factual", "temporal"]))
def test_scores_are_sums_of_parts_and_each_hit_is_returned_once(
    what: tuple[list[Candidate], dict[str, LayerSimilarities]], intent: str
) -> None:
    candidates, layers = what
    for answer in (
        by_layers(candidates, layers, DEFAULTS, analysis=QueryAnalysis(intent=Intent(intent))),
        by_similarity_and_importance(candidates, DEFAULTS),
    ):
        names = [one.candidate.id for one in answer.hits]
        assert len(set(names)) == len(names)
        assert all(abs(sum(one.parts.values()) - one.score) < 1e-6 for one in answer.hits)
        assert len(names) + sum(one.count for one in answer.removed) == len(candidates)
        scores = [one.score for one in answer.hits]
        assert scores == sorted(scores, reverse=True)


@given(finds(), st.randoms())
def test_order_of_candidates_does_not_matter(
    what: tuple[list[Candidate], dict[str, LayerSimilarities]], chance: "st.DataObject"
) -> None:
    candidates, layers = what
    mixed = list(candidates)
    chance.shuffle(mixed)  # type: ignore[attr-defined]
    first = by_layers(candidates, layers, DEFAULTS, analysis=QueryAnalysis())
    assert first == by_layers(mixed, layers, DEFAULTS, analysis=QueryAnalysis())


@given(finds())
def test_fallback_is_used_only_when_earlier_steps_found_nothing(
    what: tuple[list[Candidate], dict[str, LayerSimilarities]],
) -> None:
    candidates, layers = what
    answer = by_layers(candidates, layers, DEFAULTS, analysis=QueryAnalysis())
    tried = [step for step in answer.search_path[:-1] if step.startswith("layers")]
    for step in tried:
        at = float(step.split()[-1])
        assert all(one.abstract is None or one.abstract < at for one in (layers.get(c.id) for c in candidates) if one)
    if answer.search_path[-1].startswith("layers"):
        at = float(answer.search_path[-1].split()[-1])
        assert all((layers[one.candidate.id].abstract or 0) >= at for one in answer.hits)


@given(st.floats(0.4, 1), st.floats(-1, 1), st.floats(-1, 1))
def test_message_score_follows_the_documented_formula(abstract: float, overview: float, detail: float) -> None:
    answer = by_layers(
        [a_candidate("m", cosine=detail)],
        {"m": in_scene("s", abstract, overview)},
        DEFAULTS,
        analysis=QueryAnalysis(intent=Intent.ENTITY),
    )
    assert answer.hits[0].score == pytest.approx(0.2 * abstract + 0.3 * overview + 0.5 * detail, abs=1e-5)
    assert set(answer.hits[0].parts) == {"abstract", "overview", "detail"}


@pytest.mark.parametrize(
    ("intent", "ladder"),
    [
        ("general", [0.6, 0.5, 0.4]),
        ("temporal", [0.6, 0.5, 0.4]),
        ("relational", [0.45, 0.4]),
        ("entity", [0.4]),
        ("factual", [0.4]),
    ],
)
def test_thresholds_depend_on_intent_and_end_at_the_floor(intent: str, ladder: list[float]) -> None:
    assert thresholds(DEFAULTS, Intent(intent)) == ladder


def test_threshold_and_floor_can_be_configured_as_in_older_versions() -> None:
    older = RecallSettings(layer_threshold=0.5, layer_floor=0.3)
    assert thresholds(older, Intent.GENERAL) == [0.5, 0.4, 0.3]
    assert thresholds(older, Intent.ENTITY) == [0.4, 0.3]


def test_scene_scores_as_its_best_message_and_is_selected_by_its_abstract() -> None:
    candidates = [
        a_candidate("near", cosine=0.9),
        a_candidate("far", cosine=0.1),
        a_candidate("s", HitKind.SCENE, cosine=0.7),
        a_candidate("alone", cosine=0.95),
    ]
    scene = in_scene("s", 0.7, 0.5)
    layers = {"near": scene, "far": scene, "s": scene, "alone": in_scene("other", 0.2, 0.2)}
    answer = by_layers(candidates, layers, DEFAULTS, analysis=QueryAnalysis())
    assert [one.candidate.id for one in answer.hits] == ["near", "s", "far"]
    assert answer.hits[0].score == answer.hits[1].score
    assert [(one.reason, one.count) for one in answer.removed] == [("not found by layers ≥ 0.60", 1)]


def test_degradation_path_ends_where_something_is_found() -> None:
    low = {"m": in_scene("s", 0.45, 0.4)}
    ladder = ("layers ≥ 0.60", "layers ≥ 0.50", "layers ≥ 0.40")
    everything = (*ladder, "similarity ≥ 0.40", "metadata", "words")

    def path(one: Candidate, layers: dict[str, LayerSimilarities], analysis: QueryAnalysis) -> tuple[str, ...]:
        return by_layers([one], layers, DEFAULTS, analysis=analysis).search_path

    words, nothing = {"words": 2.0}, QueryAnalysis()
    assert path(a_candidate("m", cosine=0.5), low, nothing) == ladder
    assert path(a_candidate("m", cosine=0.5), {}, nothing) == everything[:4]
    told = QueryAnalysis(time=Timespan(start=NOON, end=NOON + timedelta(days=1)))
    assert path(a_candidate("m", cosine=0.1), {}, told) == everything[:5]
    assert (
        path(a_candidate("m", cosine=0.1, speaker="Ann"), {}, QueryAnalysis(name_keys=frozenset({"ann"})))
        == everything[:5]
    )
    assert path(a_candidate("m", cosine=0.1, scores={"entity": 1.0}), {}, nothing) == everything[:5]
    assert path(a_candidate("m", cosine=0.1, scores=words), {}, nothing) == everything
    # Without vectors no similarity exceeds a threshold.
    assert path(a_candidate("m", scores=words), {}, nothing) == ("metadata", "words")
    assert by_layers([], {}, DEFAULTS, analysis=nothing).hits == ()


def test_importance_outweighs_a_small_difference_in_similarity() -> None:
    near, weighty = a_candidate("near", cosine=0.8, importance=1), a_candidate("weighty", cosine=0.7, importance=10)
    answer = by_similarity_and_importance([near, weighty], DEFAULTS)
    assert [(one.candidate.id, one.score) for one in answer.hits] == [("weighty", 0.79), ("near", 0.59)]
