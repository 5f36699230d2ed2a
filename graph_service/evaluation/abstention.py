"""Questions that a memory cannot answer, and how well an answer's confidence tells them from others. Pure."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from graph_service.evaluation.dataset import AskedQuestion, Conversation
from graph_service.evaluation.metrics import Judged, judged

QUESTIONS_MAX: Final = 200
_SEED: Final = 20_240_402
_FOLDS_MAX: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question put to a conversation.

    Attributes:
        conversation: its place in the list of conversations.
        foreign: it belongs to another conversation, so this one holds no answer.
    """

    conversation: int
    question: AskedQuestion
    foreign: bool


def askings(conversations: Sequence[Conversation], *, most: int = QUESTIONS_MAX, seed: int = _SEED) -> list[Asking]:
    """As many questions of other conversations as answerable ones, for each data set, at most `most` of each.

    Foreign questions come from the same data set, or from others in the same language where it has one conversation.
    """
    rng = random.Random(seed)
    chosen: list[Asking] = []
    for dataset in sorted({one.dataset for one in conversations}):
        places = [place for place, one in enumerate(conversations) if one.dataset == dataset]
        own = [(place, question) for place in places for question in conversations[place].answerable]
        strange = [pair for place in places for pair in _strange(conversations, place, places)]
        count = min(most, len(own), len(strange))
        chosen += [Asking(conversation=p, question=q, foreign=False) for p, q in rng.sample(own, count)]
        chosen += [Asking(conversation=p, question=q, foreign=True) for p, q in rng.sample(strange, count)]
    return chosen


def _strange(
    conversations: Sequence[Conversation], place: int, places: Sequence[int]
) -> list[tuple[int, AskedQuestion]]:
    """Return questions that others are asked and this conversation is not."""
    here = conversations[place]
    if len(places) > 1:
        others = [conversations[other] for other in places if other != place]
    else:
        others = [one for one in conversations if one.dataset != here.dataset and one.lang == here.lang]
    known = {question.text for question in here.questions}
    return [(place, question) for one in others for question in one.answerable if question.text not in known]


def threshold_refusals(scores: Sequence[float], unanswerable: Sequence[bool], groups: Sequence[int]) -> list[bool]:
    """Return whether each score is below the threshold that was best for the other groups.

    Many groups share few folds; a single group is its own fold's halves, every second question.
    """
    places = {group: place for place, group in enumerate(sorted(set(groups)))}
    alone = len(places) == 1
    folds = [place % 2 if alone else places[group] % _FOLDS_MAX for place, group in enumerate(groups)]
    best: Mapping[int, float] = {
        fold: best_threshold(
            [score for score, other in zip(scores, folds, strict=True) if other != fold],
            [true for true, other in zip(unanswerable, folds, strict=True) if other != fold],
        )
        for fold in set(folds)
    }
    return [score < best[fold] for score, fold in zip(scores, folds, strict=True)]


def best_threshold(scores: Sequence[float], unanswerable: Sequence[bool]) -> float:
    """Return the threshold below which refusing gives the best F1; half-way to the next score, the lowest of equal
    ones.
    """
    ordered = sorted(set(scores))
    between = [(low + high) / 2 for low, high in pairwise(ordered)]
    tried = [*between, *([ordered[-1] + 1.0] if ordered else [0.0])]

    def f1(threshold: float) -> float:
        return judged([score < threshold for score in scores], unanswerable).f1

    return max(tried, key=f1)


def refusing(scores: Sequence[float], unanswerable: Sequence[bool], groups: Sequence[int]) -> Judged:
    """Return how well the best threshold over the first score does, on questions that did not choose it."""
    return judged(threshold_refusals(scores, unanswerable, groups), unanswerable)
