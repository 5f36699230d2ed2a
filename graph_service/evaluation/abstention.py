"""Sample questions to measure how well the service recognises those that the memory cannot answer. Pure."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from graph_service.evaluation.dataset import Conversation, Question

QUESTIONS_MAX: Final = 200
_SEED: Final = 20_240_402


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
