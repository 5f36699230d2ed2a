"""Test ranking measures against hand-computed values, and properties of every order."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graph_service.evaluation.report import MEASURES, means, percentile, ranking_measures, refusal_scores

IDS = [f"m{number}" for number in range(30)]
ORDERS = st.permutations(IDS)
GOLDS = st.sets(st.sampled_from([*IDS, "never found"]), min_size=1, max_size=8)


def test_recall_counts_the_share_of_gold_within_the_depth() -> None:
    order = ["a", *(f"x{number}" for number in range(5)), "b", *(f"y{number}" for number in range(5)), "c"]
    figures = ranking_measures(order, {"a", "b", "c", "d"})
    assert [figures[f"recall@{depth}"] for depth in (5, 10, 20, 50)] == [0.25, 0.5, 0.75, 0.75]
    assert [ranking_measures(order, {one})["hit@10"] for one in ("b", "c")] == [1.0, 0.0]


def test_ndcg_discounts_by_rank_and_normalises_by_the_best_order() -> None:
    gained = 1 / math.log2(2) + 1 / math.log2(4)
    best = 1 / math.log2(2) + 1 / math.log2(3)
    assert ranking_measures(["a", "x", "b"], {"a", "b"})["ndcg@10"] == pytest.approx(gained / best)
    # Of twelve only ten fit, so ten gold ones at the top are optimal.
    assert ranking_measures(IDS[:10], set(IDS[:12]))["ndcg@10"] == pytest.approx(1.0)
    assert ranking_measures(["x", "y"], {"a"})["ndcg@10"] == 0.0


def test_reciprocal_rank_is_that_of_the_first_gold() -> None:
    assert ranking_measures(["x", "y", "a", "b"], {"a", "b"})["mrr"] == pytest.approx(1 / 3)
    assert ranking_measures([], {"a"})["mrr"] == 0.0


@settings(deadline=None)
@given(order=ORDERS, gold=GOLDS)
def test_all_measures_stay_within_bounds_and_grow_with_depth(order: list[str], gold: set[str]) -> None:
    figures = ranking_measures(order, gold)
    assert set(figures) == set(MEASURES)
    assert all(0.0 <= value <= 1.0 + 1e-12 for value in figures.values())
    assert figures["recall@5"] <= figures["recall@10"] <= figures["recall@20"] <= figures["recall@50"]
    assert (figures["hit@10"] > 0) == (figures["recall@10"] > 0) == (figures["ndcg@10"] > 0)


@settings(deadline=None)
@given(order=ORDERS, gold=GOLDS)
def test_gold_moved_up_by_one_place_never_lowers_a_measure(order: list[str], gold: set[str]) -> None:
    place = next((i for i in range(1, len(order)) if order[i] in gold and order[i - 1] not in gold), None)
    if place is None:
        return
    better = [*order[: place - 1], order[place], order[place - 1], *order[place + 1 :]]
    before, after = ranking_measures(order, gold), ranking_measures(better, gold)
    assert all(after[name] >= before[name] - 1e-12 for name in MEASURES)


@settings(deadline=None)
@given(order=ORDERS, gold=st.sets(st.sampled_from(IDS), min_size=1, max_size=5))
def test_gold_at_the_top_gives_one_everywhere(order: list[str], gold: set[str]) -> None:
    best = [*gold, *(name for name in order if name not in gold)]
    assert list(ranking_measures(best, gold).values()) == pytest.approx([1.0] * len(MEASURES))


@settings(deadline=None, max_examples=30)
@given(
    rows=st.lists(st.lists(st.tuples(ORDERS, GOLDS), min_size=1, max_size=6), min_size=1, max_size=4),
)
def test_confidence_intervals_contain_the_mean_and_are_reproducible(
    rows: list[list[tuple[list[str], set[str]]]],
) -> None:
    by_conversation = {
        str(number): [ranking_measures(order, gold) for order, gold in row] for number, row in enumerate(rows)
    }
    found = means(by_conversation)
    assert found == means(dict(reversed(by_conversation.items())))
    questions = [row for part in by_conversation.values() for row in part]
    for name, mean in found.items():
        assert mean["value"] == pytest.approx(sum(row[name] for row in questions) / len(questions))
        assert mean["low"] - 1e-9 <= mean["high"]
        assert 0 <= mean["low"] <= 1 + 1e-9


def test_confidence_interval_of_a_coin_has_the_expected_width() -> None:
    one, zero = ranking_measures(["a"], {"a"}), ranking_measures(["b"], {"a"})
    mean = means({"only": [one, zero] * 200})["recall@10"]
    half = 1.96 * 0.5 / math.sqrt(400)
    assert mean["value"] == 0.5
    assert (mean["high"] - mean["low"]) / 2 == pytest.approx(half, rel=0.15)


def test_differing_conversations_widen_the_interval() -> None:
    one, zero = ranking_measures(["a"], {"a"}), ranking_measures(["b"], {"a"})
    mixed = means({"p": [one, zero] * 50, "q": [one, zero] * 50})["mrr"]
    apart = means({"p": [one] * 100, "q": [zero] * 100})["mrr"]
    assert apart["high"] - apart["low"] > 3 * (mixed["high"] - mixed["low"])


def test_refusal_scores_are_precision_recall_and_f1() -> None:
    found = refusal_scores(refused=[True, True, False, True], unanswerable=[True, False, True, True])
    assert (found["precision"], found["recall"]) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert found["f1"] == pytest.approx(2 / 3)
    assert refusal_scores([False], [True])["f1"] == 0.0


def test_a_percentile_lies_between_its_neighbours() -> None:
    assert percentile([1.0, 2.0, 3.0, 4.0], 0.5) == 2.5
    assert percentile([], 0.95) == 0.0
