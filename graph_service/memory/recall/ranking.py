"""Rank candidates by a weighted sum of features, and return the contribution of each feature to the score. Pure.

Features without a fixed scale (BM25, cosines) are divided by their usual spread, and their weighted values shifted to a
minimum of zero; the contributions sum to the score.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from statistics import median
from types import MappingProxyType
from typing import Final

import numpy as np
import numpy.typing as npt

from extraction.query_analysis import AnswerType, QueryAnalysis, TimeReference
from extraction.temporal.question_time import TimeAxis
from extraction.text.toml_files import toml_of
from graph_service.config.sections import RecallSettings
from graph_service.memory.recall.candidates import Candidate, CandidateSet, Hit
from graph_service.memory.recall.features import features_of
from graph_service.memory.recall.follow_ups import follow_ups
from graph_service.memory.recall.lexical_scores import Floats
from graph_service.memory.recall.query import HitKind
from schema.labels import Role
from schema.timespan import Timespan

# `ranking.toml` says where the weights come from.
_TABLES: Final = toml_of("graph_service.memory.recall", "ranking.toml")
SPREADS: Final[Mapping[str, float]] = MappingProxyType(_TABLES["spreads"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weights of the features.

    Attributes:
        scaled: weights of scaled features, per unit of spread (`SPREADS`); negative if less is better.
        plain: weights of plain features.
        usual: what the plain features of a good candidate usually add, by which scores are scaled.
    """

    scaled: Mapping[str, float]
    plain: Mapping[str, float]
    usual: float


def _weights(name: str, *plain: str) -> list[Weights]:
    """Return the weights in the columns of a table, with those of plain features in tables of which later ones win."""
    scaled, usual = _TABLES["scaled"][name], _TABLES["usual"][name]
    by_feature = MappingProxyType({feature: one for key in plain for feature, one in _TABLES["plain"][key].items()})
    return [
        Weights(
            scaled=MappingProxyType({feature: row[column] for feature, row in scaled.items() if row[column]}),
            plain=by_feature,
            usual=usual,
        )
        for column in range(3)
    ]


ENGLISH, ENGLISH_BY_VECTORS, ENGLISH_BY_WORDS = _weights("english", "english", "knowledge")
CHINESE, CHINESE_BY_VECTORS, CHINESE_BY_WORDS = _weights("chinese", "chinese", "knowledge")
EVERYDAY, EVERYDAY_BY_VECTORS, EVERYDAY_BY_WORDS = _weights("everyday", "everyday")
LONG_ANSWERS, LONG_ANSWERS_BY_VECTORS, LONG_ANSWERS_BY_WORDS = _weights("long_answers", "everyday", "long_answers")
CONVERSATION, CONVERSATION_ZH, CONVERSATION_BY_WORDS = _weights("conversation", "conversation", "knowledge")
# Median length of the assistant's messages in UTF-8 from which its answers count as long, and fully. Bytes, because
# a Chinese answer has a third as many characters. Medians measured: 40 to 60 in everyday memories, 100 to 250 in
# conversations of people, 2,500 to 4,400 in BEAM.
_SHORT_BYTES, _LONG_BYTES = 400, 1_200
# Up to this many messages of one person alone, such as notes, count as messages to an assistant; twice as many do not.
_NOTES_MAX: Final = 40
# Longer texts are conversations.
_QUESTION_CHARS_MAX, _QUESTION_CHARS_MAX_ZH = 160, 60


# Least weight of the time of a question that only what happens then can answer ("What am I doing in December?"), and of
# a day or week ("Where did I eat on Friday?"); weight of a time relative to an event, which is less certain: an answer
# may be given at any time after it.
_AHEAD_TIME: Final = 4.0
_DAY_TIME: Final = 2.0
_SHORT_TIME: Final = timedelta(days=8)
_EVENT_TIME: Final = 1.2
# Least weights of vectors for a question that is neither English nor Chinese, whose words are not stemmed and which has
# no answer scores. Chosen from thirteen on 170 questions of `tests/everyday_sets/languages`: answer@1 .59 -> .61, @3
# .84 -> .88.
_BY_MEANING: Final = MappingProxyType({"similarity": 0.5, "token_similarity": 0.6})


def with_question_weights(weights: Weights, analysis: QueryAnalysis) -> Weights:
    """Return the weights adapted to the question.

    The weight of time depends on the time that it names, and that of vectors on its language; what the assistant said
    may be long.
    """
    scaled, time_range = dict(weights.scaled), weights.plain.get("time_range", 0.0)
    if analysis.role is Role.ASSISTANT and "length" in scaled:
        scaled["length"] = max(scaled["length"], 0.0)
    if analysis.by_meaning:
        scaled |= {name: max(weight, scaled[name]) for name, weight in _BY_MEANING.items() if name in scaled}
    if analysis.time is not None and (analysis.only_time or analysis.time_axis is TimeAxis.HAPPENED):
        time_range = max(time_range, _AHEAD_TIME)
    elif analysis.time is not None and _is_short(analysis.time):
        time_range = max(time_range, _DAY_TIME)
    elif analysis.event_time is not None:
        time_range = _EVENT_TIME
    plain = {**weights.plain, "time_range": time_range}
    return replace(weights, scaled=MappingProxyType(scaled), plain=MappingProxyType(plain))


def _is_short(time: Timespan) -> bool:
    return time.start is not None and time.end is not None and time.end - time.start <= _SHORT_TIME


# Features that also count multiplied by the relevance.
_NEWER: Final = ("newer_now", "newer_open")


def with_factors(weights: Weights, settings: RecallSettings) -> Weights:
    """Return the weights, multiplied by the factors of the settings; those of no group stay as they are."""
    by_group = {
        "words": settings.words_factor,
        "meaning": settings.meaning_factor,
        "time": settings.time_factor,
        "graph": settings.graph_factor,
        "role": settings.role_factor,
        "recency": settings.recency_factor,
    }
    factors = {feature: by_group[name] for name, text in _TABLES["factors"].items() for feature in text.split()}

    def scaled(by_name: Mapping[str, float]) -> Mapping[str, float]:
        return MappingProxyType({name: weight * factors.get(name, 1.0) for name, weight in by_name.items()})

    return replace(weights, scaled=scaled(weights.scaled), plain=scaled(weights.plain))


def weights_for(
    *, chinese: bool, vectors: bool, tokens: bool, chars: int = 0, dialogue: float = 0.0, long_answers: float = 0.0
) -> Weights:
    """Return the weights for a question.

    Args:
        chinese: the question is mostly Chinese.
        vectors: an embedder is configured.
        tokens: the question has token vectors.
        chars: length of the question.
        dialogue: share of the weights for messages to an assistant (`dialogue_share`), 0 to 1.
        long_answers: share, of these, of the weights for long answers (`long_answer_share`), 0 to 1.
    """
    at = 0 if not vectors else 2 if tokens else 1
    long = (LONG_ANSWERS_BY_WORDS, LONG_ANSWERS_BY_VECTORS, LONG_ANSWERS)[at]
    if _is_long(chars, chinese=chinese):
        by_topic = CONVERSATION_BY_WORDS if not vectors else CONVERSATION_ZH if chinese else CONVERSATION
        return _blended(by_topic, long, dialogue * long_answers)
    by_language = (
        (CHINESE_BY_WORDS, CHINESE_BY_VECTORS, CHINESE) if chinese else (ENGLISH_BY_WORDS, ENGLISH_BY_VECTORS, ENGLISH)
    )
    everyday = (EVERYDAY_BY_WORDS, EVERYDAY_BY_VECTORS, EVERYDAY)[at]
    return _blended(by_language[at], _blended(everyday, long, long_answers), dialogue)


def is_conversation(analysis: QueryAnalysis) -> bool:
    """Return whether a text is too long for a question, and is taken for conversation."""
    return _is_long(analysis.chars, chinese=analysis.chinese)


def _is_long(chars: int, *, chinese: bool) -> bool:
    return chars > (_QUESTION_CHARS_MAX_ZH if chinese else _QUESTION_CHARS_MAX)


def _blended(one: Weights, other: Weights, share: float) -> Weights:
    """Interpolate between two sets of weights.

    Args:
        share: share of `other`, 0 to 1.
    """
    if share in (0.0, 1.0):
        return other if share else one

    def between(first: Mapping[str, float], second: Mapping[str, float]) -> Mapping[str, float]:
        names = dict.fromkeys((*first, *second))
        return MappingProxyType(
            {name: (1 - share) * first.get(name, 0.0) + share * second.get(name, 0.0) for name in names}
        )

    return Weights(
        scaled=between(one.scaled, other.scaled),
        plain=between(one.plain, other.plain),
        usual=(1 - share) * one.usual + share * other.usual,
    )


def dialogue_share(messages: Sequence[Candidate]) -> float:
    """Return how much the messages are a dialogue with an assistant (1) rather than a conversation of people (0).

    It is 1 with messages of an assistant, which have no speaker's name or are long, and 0 with several other speakers.
    For one person's messages alone it is 1 while they are few.
    """
    if any(one.role == Role.ASSISTANT and not one.speaker for one in messages):
        return 1.0
    if len({one.speaker for one in messages}) > 1:
        return long_answer_share(messages)
    return min(max(2.0 - len(messages) / _NOTES_MAX, 0.0), 1.0)


def long_answer_share(messages: Sequence[Candidate]) -> float:
    """Return how much the assistant's messages are the long answers of a language model, 0 to 1.

    People, who may be stored in the assistant's role, and the assistants of everyday memories write some lines.
    """
    lengths = [len(one.text.encode()) for one in messages if one.role == Role.ASSISTANT]
    if not lengths:
        return 0.0
    return min(max((median(lengths) - _SHORT_BYTES) / (_LONG_BYTES - _SHORT_BYTES), 0.0), 1.0)


def rank(found: CandidateSet, weights: Weights, *, analysis: QueryAnalysis, now: datetime) -> list[Hit]:
    """Return the candidates, best first; equal scores are ordered by kind, newest first, then text and id.

    The result does not depend on the order of candidates, nor on generated ids unless texts are equal.
    """
    candidates = found.candidates
    if not candidates:
        return []
    raw = features_of(found, analysis, now=now, wanted={*weights.plain, *_NEWER})
    messages = np.array([one.kind is HitKind.MESSAGE for one in candidates])
    parts = {
        name: _weighted(raw.scaled[name], weight / SPREADS[name], messages)
        for name, weight in weights.scaled.items()
        if name in raw.scaled
    }
    relevance = _relevance(parts)
    plain = dict(raw.plain)
    if relevance is not None:
        # What is new and about something else is no answer.
        plain |= {f"{name}_relevant": plain[name] * relevance for name in _NEWER if name in plain}
        is_now = analysis.time_reference is TimeReference.NOW and analysis.answer_type is not AnswerType.WHY
        if is_now and "follow_up" in weights.plain:
            plain["follow_up"] = follow_ups(found, relevance, analysis)
    parts |= {name: weight * plain[name] for name, weight in weights.plain.items() if name in plain}
    # Scale scores so that the usual maximum with these weights is about 1.
    whole = sum(map(abs, weights.scaled.values())) * 3 + weights.usual
    table = np.round(np.array([*parts.values()], np.float64) / whole, 6)
    scores = np.round(table.sum(axis=0), 6)
    keys = [
        (-score, one.kind, -one.said_at.timestamp(), one.text, one.id)
        for score, one in zip(scores.tolist(), candidates, strict=True)
    ]
    columns = table.T.tolist()
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return [
        Hit(candidate=candidates[at], score=-keys[at][0], parts=dict(zip(parts, columns[at], strict=True)))
        for at in order
    ]


def _relevance(scaled: Mapping[str, Floats]) -> Floats | None:
    """Return the sum of the weighted scaled features, from 0 (the lowest of the candidates) to 1; None without any."""
    if not scaled:
        return None
    total: Floats = np.sum([*scaled.values()], axis=0)
    relevance: Floats = (total - total.min()) / (float(np.ptp(total)) or 1.0)
    return relevance


def _weighted(values: Floats, weight: float, messages: npt.NDArray[np.bool_]) -> Floats:
    """Multiply values by a weight and shift them to a minimum of 0; missing ones become the mean of the messages."""
    known = ~np.isnan(values)
    base = values[known & messages] if (known & messages).any() else values[known]
    if not len(base):
        return np.zeros(len(values))
    counted: Floats = weight * np.where(known, values, base.mean())
    counted -= counted.min()
    return counted
