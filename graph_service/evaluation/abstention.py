"""Measure abstention: how well the service recognises questions that the memory cannot answer. Pure."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from graph_service.evaluation.dataset import Conversation, Question
from graph_service.evaluation.metrics import RefusalScores, refusal_scores

QUESTIONS_MAX: Final = 200
_SEED: Final = 20_240_402
_FOLDS_MAX: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A question asked of a conversation.

    Attributes:
        conversation: index in the list of conversations.
        foreign: the question belongs to another conversation, so this one has no answer.
    """

    conversation: int
    question: Question
    foreign: bool


def abstention_trials(
    conversations: Sequence[Conversation], *, trials_max: int = QUESTIONS_MAX, seed: int = _SEED
) -> list[Trial]:
    """Sample equally many answerable and foreign questions from each data set, at most `trials_max` of each.

    Foreign questions come from other conversations of the data set; if it has only one, from other data sets in the
    same language.
    """
    rng = random.Random(seed)
    trials: list[Trial] = []
    for dataset in sorted({one.dataset for one in conversations}):
        places = [place for place, one in enumerate(conversations) if one.dataset == dataset]
        answerable = [(place, question) for place in places for question in conversations[place].answerable]
        foreign = [pair for place in places for pair in _foreign_questions(conversations, place, places)]
        count = min(trials_max, len(answerable), len(foreign))
        trials += [Trial(conversation=p, question=q, foreign=False) for p, q in rng.sample(answerable, count)]
        trials += [Trial(conversation=p, question=q, foreign=True) for p, q in rng.sample(foreign, count)]
    return trials


def _foreign_questions(
    conversations: Sequence[Conversation], place: int, places: Sequence[int]
) -> list[tuple[int, Question]]:
    """Return (index of this conversation, question) for questions of other conversations."""
    conversation = conversations[place]
    if len(places) > 1:
        others = [conversations[other] for other in places if other != place]
    else:
        others = [one for one in conversations if one.dataset != conversation.dataset and one.lang == conversation.lang]
    known = {question.question for question in conversation.questions}
    return [(place, question) for one in others for question in one.answerable if question.question not in known]


def threshold_refusals(scores: Sequence[float], unanswerable: Sequence[bool], groups: Sequence[int]) -> list[bool]:
    """Return whether each score is below the threshold that was chosen on the other folds (cross-validation).

    Groups are spread over at most `_FOLDS_MAX` folds; a single group is split into even and odd questions.
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
    """Return the threshold with the best F1 of refusing scores below it.

    Thresholds lie half-way between scores; of equally good ones the lowest is returned.
    """
    ordered = sorted(set(scores))
    between = [(low + high) / 2 for low, high in pairwise(ordered)]
    tried = [*between, *([ordered[-1] + 1.0] if ordered else [0.0])]

    def f1(threshold: float) -> float:
        return refusal_scores([score < threshold for score in scores], unanswerable).f1

    return max(tried, key=f1)


def threshold_scores(scores: Sequence[float], unanswerable: Sequence[bool], groups: Sequence[int]) -> RefusalScores:
    """Return the cross-validated scores of refusing by a threshold on the score of the first hit."""
    return refusal_scores(threshold_refusals(scores, unanswerable, groups), unanswerable)
