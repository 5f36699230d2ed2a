"""Test sampling of abstention trials, and scores of refusals by a cross-validated threshold."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from graph_service.evaluation.abstention import abstention_trials, best_threshold, threshold_refusals, threshold_scores
from graph_service.evaluation.dataset import read_all
from tests.unit.evaluation.test_dataset import OWN

CONVERSATIONS = read_all([OWN]).conversations


def test_foreign_questions_come_from_other_conversations_of_the_set() -> None:
    chosen = abstention_trials(CONVERSATIONS)
    for asking in chosen:
        here = CONVERSATIONS[asking.conversation]
        assert (asking.question in here.questions) != asking.foreign
        assert asking.question.gold
        assert {one.dataset for one in CONVERSATIONS if asking.question in one.questions} == {here.dataset}


def test_foreign_questions_are_as_many_as_answerable_ones() -> None:
    for most in (3, 200):
        chosen = abstention_trials(CONVERSATIONS, trials_max=most)
        for dataset, own in (("own-en", 11), ("own-zh", 11)):
            mine = [one for one in chosen if CONVERSATIONS[one.conversation].dataset == dataset]
            assert sum(one.foreign for one in mine) == sum(not one.foreign for one in mine) == min(most, own)
    assert abstention_trials(CONVERSATIONS) == abstention_trials(CONVERSATIONS)
    assert abstention_trials(CONVERSATIONS, seed=1) != abstention_trials(CONVERSATIONS, seed=2)


def test_a_single_conversation_borrows_questions_in_its_own_language() -> None:
    linxiao, nora = (next(one for one in CONVERSATIONS if one.id == name) for name in ("linxiao", "nora-and-ben"))
    assert abstention_trials([linxiao, nora]) == []
    wulei = next(one for one in CONVERSATIONS if one.id == "wulei").model_copy(update={"dataset": "other-zh"})
    foreign = [
        one.question for one in abstention_trials([linxiao, nora, wulei]) if one.foreign and one.conversation == 0
    ]
    assert len(foreign) == len(wulei.answerable)
    assert all(question in wulei.questions for question in foreign)


def test_separable_scores_give_a_perfect_threshold() -> None:
    scores = [0.1, 0.2, 0.9, 0.8]
    unanswerable = [True, True, False, False]
    assert 0.2 < best_threshold(scores, unanswerable) < 0.8
    assert threshold_refusals(scores * 2, unanswerable * 2, [0] * 4 + [1] * 4) == unanswerable * 2


def test_threshold_is_not_chosen_on_the_judged_fold() -> None:
    # Each half alone would be separated perfectly, but not by the threshold of the other half.
    scores = [0.1, 0.2, 1.1, 1.2]
    unanswerable = [True, False, True, False]
    found = threshold_scores(scores, unanswerable, [0, 0, 1, 1])
    assert found.f1 < 1.0
    assert threshold_scores(scores, unanswerable, [0, 1, 0, 1]).f1 < 1.0


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30))
def test_best_threshold_is_never_worse_than_refusing_everything(rows: list[tuple[float, bool]]) -> None:
    scores, unanswerable = [score for score, _ in rows], [true for _, true in rows]
    threshold = best_threshold(scores, unanswerable)
    refused = [score < threshold for score in scores]
    right = sum(1 for said, true in zip(refused, unanswerable, strict=True) if said and true)
    f1 = 2 * right / (sum(refused) + sum(unanswerable)) if right else 0.0
    everything = 2 * sum(unanswerable) / (len(rows) + sum(unanswerable)) if any(unanswerable) else 0.0
    assert f1 >= everything - 1e-12


def test_random_scores_get_chance_figures() -> None:
    rng = random.Random(3)
    scores = [rng.random() for _ in range(400)]
    unanswerable = [bool(place % 2) for place in range(400)]
    # Refusing everything has an F1 of two thirds; noise allows nothing better.
    assert threshold_scores(scores, unanswerable, [place % 7 for place in range(400)]).f1 < 0.72
