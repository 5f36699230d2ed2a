"""Rank what a newer text replaces below it, as judged by a model that reads both with the question. Pure.

"We live in Porto" answers "Where do I live?" as well as "first night in the new flat in Lisbon" does, and often shares
more words with it. A cross-encoder reads an older and a newer text together (`extraction/embeddings/answer_scores.py`).
For questions about the present, the older one then ranks lower and the newer one higher; for questions about a former
state it is the other way round. So it is where the newer text tells what holds for some days only: "until Saturday you
get me on my work mobile" is no answer to "What is my phone number?", and replaces none.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from extraction.query_analysis import AnswerType, QueryAnalysis, TimeReference
from extraction.text.cues import tells_brief
from graph_service.memory.recall.answer_ranking import scored_text
from graph_service.memory.recall.candidates import Candidate, Hit
from schema.labels import Role

# Texts that may be replaced: the best ones, because only they can stand first.
OLDER_N: Final = 3
# Newer texts that answer less, by their own score or as sequels, are not compared.
NEWER_SCORE_MIN: Final = 0.3
# A newer text that is this short leaves out what it is about ("so it's thursdays now"), and answers little by itself.
# If it replaces the older one, it answers as that does; the factor makes up for what its ranking score lacks. Chosen
# from a few on 583 questions of five authors in six languages: 432 first hits instead of 424, 26 outdated ones, not 37.
_BRIEF_CHARS_MAX: Final = 75
_OF_OLDER: Final = 1.4
# Most pairs of a question, which has two on average; each costs about 8 ms of a core.
CHANGES_MAX: Final = 8
# What holds for a while only answers this question, in any language; what lasts does not, whatever it is about: on 143
# messages in six languages, the log odds tell them apart with an area under the curve of .82.
BRIEF_QUESTION: Final = "For how long, until which day?"
_BRIEF_ODDS: Final = -3.5


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPair:
    """An older and a newer candidate of a question, with their texts for the model.

    Attributes:
        older, newer: their ids.
        newer_answers: answer score of the newer one, 0 to 1; if that is brief, at least `_OF_OLDER` times the other's.
    """

    older: str
    newer: str
    older_text: str
    newer_text: str
    newer_answers: float


# What a newer text gains, and the older one that it replaces loses, times the probability that it does and the answer
# score of the newer one; the other way round if the question is about a former state. On the scale of the ranking
# scores, of which the usual maximum is about 1.
#
# Source: chosen from a few on sets of everyday memories that the model was not trained on. Questions about
# conversations between people ask for what was said, not for what holds now.
_NOW, _FORMER = 0.15, 0.05


def to_compare(
    hits: Sequence[Hit], answers: Mapping[str, float], analysis: QueryAnalysis, share: float
) -> list[TextPair]:
    """Return the pairs to compare, the best first: each of the first texts with the newer ones that may replace it.

    A pair is left out if its judgement could not put the one that should rank higher above the other.

    There are none for a question about a named time, at which another value held, nor for one that asks for a list. The
    assistant's texts replace nothing: they repeat what the user said ("updated, 555-0199 it is"). A fact that an agent
    provided, and its evidence, is not replaced unless another fact has closed it, nor is a choice if the
    question is about no time; what holds for some days replaces nothing if the question is about the rest.

    Args:
        hits: ranked by their answers.
        answers: answer scores by id of the candidate; others are not compared.
        share: share of the weight that counts, 0 for conversations between people to 1.
    """
    if analysis.time_reference is TimeReference.DATED or analysis.has_no_newest:
        return []
    scored = [hit.candidate for hit in hits if hit.candidate.id in answers]
    scores = {hit.candidate.id: hit.score for hit in hits}
    former = analysis.time_reference is TimeReference.FORMER
    weight = share * (_FORMER if former else _NOW)
    is_open = analysis.time_reference is TimeReference.OPEN

    def answering(older: Candidate, newer: Candidate) -> float:
        return max(answers[newer.id], _OF_OLDER * answers[older.id] if newer.id in brief else 0.0)

    def can_change(older: Candidate, newer: Candidate) -> bool:
        behind = scores[newer.id] - scores[older.id] if former else scores[older.id] - scores[newer.id]
        answers_newer = answering(older, newer)
        return answers_newer >= NEWER_SCORE_MIN and behind <= 2 * weight * answers_newer

    newer_ones = [one for one in scored if one.role != Role.ASSISTANT]
    if analysis.asks_usual:
        newer_ones = [one for one in newer_ones if not tells_brief(one.text)]
    brief = {one.id for one in newer_ones if is_brief(one.text)}
    certain = {one.id for one in scored if _is_certain(one) or (is_open and one.is_choice)}
    certain |= {proof for one in scored if one.id in certain for proof in one.proofs}
    changes = [
        TextPair(
            older=older.id,
            newer=newer.id,
            older_text=scored_text(older),
            newer_text=scored_text(newer),
            newer_answers=answering(older, newer),
        )
        for older in scored[:OLDER_N]
        if older.id not in certain
        for newer in newer_ones
        if newer.said_at > older.said_at and not _tells_the_same(older, newer) and can_change(older, newer)
    ]
    return changes[:CHANGES_MAX]


def asks_lasting(analysis: QueryAnalysis) -> bool:
    """Return whether a question asks what lasts, and neither for a time nor for what holds just now."""
    lasts = analysis.time_reference is TimeReference.OPEN and not analysis.asks_intention
    # Of other languages, only questions for the home are known not to ask for a time.
    for_time = analysis.answer_type is AnswerType.WHEN or (analysis.by_meaning and analysis.attribute is None)
    return lasts and analysis.of_user and not for_time


def is_brief(text: str) -> bool:
    """Return whether a text is short; a character of the scripts that need few of them counts three times."""
    return len(text) <= _BRIEF_CHARS_MAX and len(text) + 2 * sum(char >= "\u0e00" for char in text) <= _BRIEF_CHARS_MAX


def _is_certain(one: Candidate) -> bool:
    """Return whether an agent provided this fact, and nothing has closed it."""
    return one.is_provided and not one.closed and one.overtaken_by is None


def _tells_the_same(one: Candidate, other: Candidate) -> bool:
    """Return whether one is a fact and the other a message that proves it."""
    return one.id in other.proofs or other.id in one.proofs


def ranked_by_replacements(
    hits: Sequence[Hit],
    changes: Mapping[TextPair, float],
    analysis: QueryAnalysis,
    share: float,
    brief: Mapping[str, float] | None = None,
) -> list[Hit]:
    """Return the hits in the order of their scores with what replacements add or take; equal ones keep their order.

    Args:
        changes: log odds that the newer text replaces the older.
        share: see `to_compare`.
        brief: log odds of newer texts as answers to `BRIEF_QUESTION`, if the question asks what lasts.
    """
    if not changes:
        return list(hits)
    replaced: dict[str, float] = {}
    replacing: dict[str, float] = {}
    for change, log_odds in changes.items():
        is_brief = 1.0 / (1.0 + math.exp(_BRIEF_ODDS - (brief or {}).get(change.newer_text, -math.inf)))
        counts = change.newer_answers / (1.0 + math.exp(-log_odds)) * (1.0 - is_brief)
        replaced[change.older] = max(replaced.get(change.older, 0.0), counts)
        replacing[change.newer] = max(replacing.get(change.newer, 0.0), counts)
    weight = share * (-_FORMER if analysis.time_reference is TimeReference.FORMER else _NOW)
    found = []
    for hit in hits:
        name = hit.candidate.id
        if name not in replaced and name not in replacing:
            found.append(hit)
            continue
        parts = {
            "replaced": round(-weight * replaced.get(name, 0.0), 6),
            "replaces": round(weight * replacing.get(name, 0.0), 6),
        }
        score = round(hit.score + sum(parts.values()), 6)
        found.append(replace(hit, score=score, parts={**hit.parts, **parts}))
    return sorted(found, key=lambda hit: -hit.score)
