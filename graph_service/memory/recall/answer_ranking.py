"""Rank the best candidates again by how well each answers the question, judged by a model that reads both. Pure.

The features of `ranking` compare words, vectors and times. They find what a question is about; a cross-encoder is the
better judge of whether a text answers it (`extraction/embeddings/answer_scores.py`). It scores only the best ones,
because it reads each together with the question.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from extraction.embeddings.embedder import spoken
from extraction.query_analysis import QueryAnalysis, TimeReference
from extraction.text.chinese import is_chinese
from graph_service.memory.recall.candidates import Candidate, Hit
from graph_service.memory.recall.query import HitKind
from schema.labels import Role

# Number of messages and facts that are scored, best first. With 6, 10, 12 and 16 the first hits of six sets are the
# same within a question or two.
SCORED_N: Final = 8
# Factor for texts about a former state, if the question is about the present: "I lived in Berlin, but that is over".
_FORMER: Final = 0.5
# How much of its answer score a fact loses for each unit of missing confidence, at most all: a statement that the rules
# read looks like an answer even where it was misread, and its message is a candidate too. On 1,277 questions, 12 more
# first hits and 8 more among three; facts that agents provide are certain and lose nothing.
_UNCERTAIN: Final = 3.2
# Log odds beyond these count like these.
_LOG_ODDS_MAX: Final = 6.0
_AGENT, _AGENT_ZH = "assistant", "助手"
_TEXT_CHARS_MAX: Final = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerWeights:
    """Weights of the answer scores, on the scale of the ranking scores, of which the usual maximum is about 1.

    Attributes:
        answers: weight of the answer score.
        answered_later: weight of an answer score times the highest of a later text, if the question is about the
            present: of two answers, the later holds now.
        answered_before: weight of an answer score times the highest of an earlier text, unless the question is about
            the past.
    """

    answers: float
    answered_later: float = 0.0
    answered_before: float = 0.0


# Source: fitted with a listwise softmax loss on the everyday memories, and chosen from a few on two conversations of
# LoCoMo; the model was trained on neither.
DIALOGUE: Final = AnswerWeights(answers=0.25, answered_later=-0.09, answered_before=0.05)
CONVERSATION: Final = AnswerWeights(answers=0.2)


def answer_weights(*, dialogue: float, factor: float = 1.0) -> AnswerWeights:
    """Return the weights for a memory.

    Args:
        dialogue: share of the weights for messages to an assistant (`ranking.dialogue_share`), 0 to 1.
        factor: factor on all weights.
    """

    def between(conversation: float, to_assistant: float) -> float:
        return factor * ((1 - dialogue) * conversation + dialogue * to_assistant)

    return AnswerWeights(
        answers=between(CONVERSATION.answers, DIALOGUE.answers),
        answered_later=between(CONVERSATION.answered_later, DIALOGUE.answered_later),
        answered_before=between(CONVERSATION.answered_before, DIALOGUE.answered_before),
    )


def answers_of(log_odds: Mapping[str, float]) -> dict[str, float]:
    """Return the answer scores, 0 to 1, for log odds that a text answers the question, by id of the candidate."""
    return {name: answer_score(odds) for name, odds in log_odds.items()}


def to_score(hits: Sequence[Hit]) -> dict[str, str]:
    """Return the texts to score by id of the candidate: the first messages and facts."""
    best = [hit.candidate for hit in hits if hit.candidate.kind is not HitKind.SCENE]
    return {one.id: scored_text(one) for one in best[:SCORED_N]}


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


def ranked_by_answers(
    hits: Sequence[Hit], answers: Mapping[str, float], analysis: QueryAnalysis, weights: AnswerWeights
) -> list[Hit]:
    """Return the hits ordered by their scores plus the weighted answer scores; equal ones keep their order.

    Args:
        answers: answer scores by id of the candidate; candidates without one get nothing.
    """
    now = analysis.time_reference is TimeReference.NOW
    present = now or analysis.time_reference is TimeReference.OPEN
    # What the user corrected afterwards is no answer, however well it reads.
    scored = [hit for hit in hits if hit.candidate.id in answers and hit.parts.get("corrected", 0.0) >= 0]
    candidates = [hit.candidate for hit in scored]
    found = {hit.candidate.id: hit for hit in hits}
    for hit in scored:
        own = answers[hit.candidate.id] * _certainty(hit.candidate)
        own *= _FORMER if hit.parts.get("former_only", 0.0) < 0 else 1.0
        later, earlier = _best_apart(hit.candidate, candidates, answers)
        parts = {
            "answers": round(weights.answers * own, 6),
            "answered_later": round(weights.answered_later * own * later * now, 6),
            "answered_before": round(weights.answered_before * own * earlier * present, 6),
        }
        score = round(hit.score + sum(parts.values()), 6)
        found[hit.candidate.id] = replace(hit, score=score, parts={**hit.parts, **parts})
    return sorted(found.values(), key=lambda hit: -hit.score)


def _certainty(one: Candidate) -> float:
    """Return the share of its answer score that counts, 0 to 1."""
    if one.kind is not HitKind.FACT:
        return 1.0
    return max(1.0 - _UNCERTAIN * (1.0 - (one.confidence or 0.0)), 0.0)


def _best_apart(one: Candidate, scored: Sequence[Candidate], answers: Mapping[str, float]) -> tuple[float, float]:
    """Return the best answer scores of later and of earlier texts, except its evidence and the facts that it proves."""
    later = earlier = 0.0
    for other in scored:
        if one.id in other.proofs or other.id in one.proofs:
            continue
        if other.said_at > one.said_at:
            later = max(later, answers[other.id])
        elif other.said_at < one.said_at:
            earlier = max(earlier, answers[other.id])
    return later, earlier
