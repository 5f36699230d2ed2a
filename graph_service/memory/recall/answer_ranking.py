"""Rank the best candidates again by how well each answers the question, judged by a model that reads both. Pure.

The features of `ranking` compare words, vectors and times. They find what a question is about; a cross-encoder is the
better judge of whether a text answers it (`extraction/embeddings/answer_scores.py`). It scores only the best ones,
because it reads each together with the question.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from extraction.embeddings.embedder import spoken
from extraction.query_analysis import QueryAnalysis
from extraction.text.chinese import is_chinese
from extraction.text.cues import gives_text, without_chat_lines
from graph_service.memory.recall.candidates import Candidate, Hit
from graph_service.memory.recall.query import HitKind
from schema.labels import Role

# Number of messages and facts that are scored, best first. With 6, 8, 10, 12 and 16 the first hits of six sets are the
# same within a question or two, and each takes about 10 ms of a busy core.
SCORED_N: Final = 5
# One more is scored where none of these seems to answer: in 12 % of the questions that have an answer, and .024 instead
# of .035 of these are doubted (own memories kept aside).
SCORED_MORE_N: Final = 1
# For a question with several answers: of 82, all are among the first six hits in .74 instead of .65; with 8 in .71.
LISTED_N: Final = 12
# How much of its answer score a fact loses for each unit of missing confidence, at most all: a statement that the rules
# read looks like an answer even where it was misread, and its message is a candidate too. On 1,277 questions, 12 more
# first hits and 8 more among three; facts that agents provide are certain and lose nothing.
_UNCERTAIN: Final = 3.2
# Log odds beyond these count like these.
_LOG_ODDS_MAX: Final = 6.0
_AGENT, _AGENT_ZH = "assistant", "助手"
_TEXT_CHARS_MAX: Final = 2_000


# Weight of the answer score, on the scale of the ranking scores, of which the usual maximum is about 1.
#
# Source: fitted with a listwise softmax loss on the everyday memories, and chosen from a few on two conversations of
# LoCoMo; the model was trained on neither.
DIALOGUE: Final = 0.25
CONVERSATION: Final = 0.2


def answer_weight(*, dialogue: float, factor: float = 1.0) -> float:
    """Return the weight of the answer scores for a memory.

    Args:
        dialogue: share of the weights for messages to an assistant (`ranking.dialogue_share`), 0 to 1.
        factor: factor on the weight.
    """
    return factor * ((1 - dialogue) * CONVERSATION + dialogue * DIALOGUE)


def answers_of(log_odds: Mapping[str, float]) -> dict[str, float]:
    """Return the answer scores, 0 to 1, for log odds that a text answers the question, by id of the candidate."""
    return {name: answer_score(odds) for name, odds in log_odds.items()}


# A stay with relatives answers "Where do I live?" for the models, because it names a place. It answers the first of
# these questions better than the others, though, in any language: on 83 invented messages in six languages, what the
# answers differ by tells stays from homes with an area under the curve of .92.
STAY_QUESTION: Final = "Where am I staying for a few days, away from home?"
HOME_QUESTIONS: Final = ("Which town is my home?", "Which city am I from now on living in?")
# Log odds by which it answers better from which a text rather tells a stay.
_STAY_ODDS: Final = 1.5


def without_stays(
    answers: Mapping[str, float], stays: Mapping[str, float], homes: Sequence[Mapping[str, float]]
) -> dict[str, float]:
    """Return answer scores for a home: the best of a text, lower if it rather tells where somebody is for some days.

    Args:
        answers: answer scores by id of the candidate, as those of `STAY_QUESTION` and of each of `HOME_QUESTIONS`.
            What busy models did not score for all of them keeps its own.
    """
    lasting = dict(answers)
    for name, stay in stays.items():
        if not all(name in of for of in homes):
            continue
        home = max(of[name] for of in homes)
        is_home = 1.0 / (1.0 + math.exp((stay - home) * 2 * _LOG_ODDS_MAX - _STAY_ODDS))
        lasting[name] = max(home, answers.get(name, 0.0)) * is_home
    return lasting


def to_score(hits: Sequence[Hit], analysis: QueryAnalysis, *, more: bool = False) -> dict[str, str]:
    """Return the texts to score by id of the candidate: the first messages and facts; or the next, if `more`.

    A text that was given to translate or correct is no answer, however well it reads ("Translate: I have two dogs").
    What others say of themselves in a quoted chat is none to a question about the user alone.
    """
    of_user = analysis.of_user and not analysis.names_others
    best = [hit.candidate for hit in hits if hit.candidate.kind is not HitKind.SCENE]
    n = LISTED_N if analysis.asks_list else SCORED_N
    scored = best[n : n + SCORED_MORE_N] if more else best[:n]
    own = (replace(one, text=without_chat_lines(one.text)) if of_user else one for one in scored)
    # A correction ("sorry, 3:45") answers as the message that it corrects does with the right values.
    meant = (replace(one, text=one.meant or one.text) for one in own)
    return {one.id: scored_text(one) for one in meant if not gives_text(one.text.lower())}


def scored_text(one: Candidate) -> str:
    """Return a text as in training: a message with the name of its speaker, if known."""
    text = one.text[:_TEXT_CHARS_MAX]
    if one.kind is not HitKind.MESSAGE:
        return text
    if one.role == Role.ASSISTANT and not one.speaker:
        return spoken(_AGENT_ZH if is_chinese(text) else _AGENT, text)
    return spoken(one.speaker, text)


def answer_score(log_odds: float) -> float:
    """Return the answer score, 0 to 1, for the log odds that a text answers the question."""
    return min(max(log_odds / _LOG_ODDS_MAX, -1.0), 1.0) / 2 + 0.5


def ranked_by_answers(hits: Sequence[Hit], answers: Mapping[str, float], weight: float) -> list[Hit]:
    """Return the hits ordered by their scores plus the weighted answer scores; equal ones keep their order.

    Args:
        answers: answer scores by id of the candidate; candidates without one get nothing.
    """
    found = []
    for hit in hits:
        if hit.candidate.id not in answers:
            found.append(hit)
            continue
        part = round(weight * answers[hit.candidate.id] * _certainty(hit.candidate), 6)
        found.append(replace(hit, score=round(hit.score + part, 6), parts={**hit.parts, "answers": part}))
    return sorted(found, key=lambda hit: -hit.score)


def _certainty(one: Candidate) -> float:
    """Return the share of its answer score that counts, 0 to 1."""
    if one.kind is not HitKind.FACT:
        return 1.0
    return max(1.0 - _UNCERTAIN * (1.0 - (one.confidence or 0.0)), 0.0)
