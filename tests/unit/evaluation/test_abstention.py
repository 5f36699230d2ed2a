"""Questions that a memory cannot answer: how they are chosen, and how telling them is judged. Requirement D4."""

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from graph_service.evaluation.abstention import askings, best_threshold, refusing, threshold_refusals
from graph_service.evaluation.dataset import read_datasets
from tests.unit.evaluation.test_dataset import OWN

CONVERSATIONS = read_datasets([OWN])


def test_foreign_questions_come_from_other_conversations_of_the_set() -> None:
    chosen = askings(CONVERSATIONS)
    for asking in chosen:
        here = CONVERSATIONS[asking.conversation]
        assert (asking.question in here.questions) != asking.foreign
        assert asking.question.gold
        assert {one.dataset for one in CONVERSATIONS if asking.question in one.questions} == {here.dataset}


def test_there_are_as_many_foreign_questions_as_answerable_ones() -> None:
    for most in (3, 200):
        chosen = askings(CONVERSATIONS, most=most)
        for dataset, own in (("own-en", 11), ("own-zh", 11)):
            mine = [one for one in chosen if CONVERSATIONS[one.conversation].dataset == dataset]
            assert sum(one.foreign for one in mine) == sum(not one.foreign for one in mine) == min(most, own)
    assert askings(CONVERSATIONS) == askings(CONVERSATIONS)
    assert askings(CONVERSATIONS, seed=1) != askings(CONVERSATIONS, seed=2)


def test_a_single_conversation_borrows_questions_in_its_own_language() -> None:
    linxiao, nora = (next(one for one in CONVERSATIONS if one.id == name) for name in ("linxiao", "nora-and-ben"))
    assert askings([linxiao, nora]) == []
    wulei = replace(next(one for one in CONVERSATIONS if one.id == "wulei"), dataset="other-zh")
    foreign = [one.question for one in askings([linxiao, nora, wulei]) if one.foreign and one.conversation == 0]
    assert len(foreign) == len(wulei.answerable)
    assert set(foreign) <= set(wulei.questions)


def test_scores_that_part_the_two_give_a_perfect_threshold() -> None:
    scores = [0.1, 0.2, 0.9, 0.8]
    unanswerable = [True, True, False, False]
    assert 0.2 < best_threshold(scores, unanswerable) < 0.8
    assert threshold_refusals(scores * 2, unanswerable * 2, [0] * 4 + [1] * 4) == unanswerable * 2


def test_no_conversation_chooses_the_threshold_it_is_judged_by() -> None:
    # Each half alone would part perfectly, but where the other half refuses nothing fits.
    scores = [0.1, 0.2, 1.1, 1.2]
    unanswerable = [True, False, True, False]
    found = refusing(scores, unanswerable, [0, 0, 1, 1])
    assert found.f1 < 1.0
    assert refusing(scores, unanswerable, [0, 1, 0, 1]).f1 < 1.0


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30))
def test_the_best_threshold_is_never_worse_than_refusing_everything(rows: list[tuple[float, bool]]) -> None:
    scores, unanswerable = [score for score, _ in rows], [true for _, true in rows]
    threshold = best_threshold(scores, unanswerable)
    refused = [score < threshold for score in scores]
    right = sum(1 for said, true in zip(refused, unanswerable, strict=True) if said and true)
    f1 = 2 * right / (sum(refused) + sum(unanswerable)) if right else 0.0
    everything = 2 * sum(unanswerable) / (len(rows) + sum(unanswerable)) if any(unanswerable) else 0.0
    assert f1 >= everything - 1e-12


def test_scores_without_meaning_are_judged_as_such() -> None:
    rng = random.Random(3)
    scores = [rng.random() for _ in range(400)]
    unanswerable = [bool(place % 2) for place in range(400)]
    # Refusing everything has an F1 of two thirds; nothing better is to be had from noise.
    assert refusing(scores, unanswerable, [place % 7 for place in range(400)]).f1 < 0.72
