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
from graph_service.config.sections import RecallSettings
from graph_service.memory.recall.candidates import Candidate, CandidateSet, Hit
from graph_service.memory.recall.features import features_of
from graph_service.memory.recall.follow_ups import follow_ups
from graph_service.memory.recall.lexical_scores import Floats
from graph_service.memory.recall.query import HitKind
from schema.labels import Role
from schema.timespan import Timespan

# Weights of the features, by language.
#
# Source: fitted with a listwise softmax loss, one conversation left out at a time (tests/benchmarks/ranking_table.py);
# those of Chinese were selected from a few on four data sets (tests/benchmarks/chinese_table.py). `fact_similarity` was
# fitted on data with facts extracted by agents. `role` has the weight of `speaker`, which it replaces if no speaker is
# named; `multi_hop` has one that ranks the second hop above the first
# (tests/integration/memory/recall/test_second_hop.py).

# Usual spread of each feature among the candidates of a question: its rounded standard deviation on the development
# data. Fixed, because a feature that differs little among the candidates of one question should count little there.
SPREADS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "lexical": 3.0,
        "lexical_previous": 3.0,
        "lexical_window": 7.0,
        "similarity": 0.1,
        "similarity_window": 0.06,
        "fact_similarity": 0.1,
        "token_similarity": 0.1,
        "token_similarity_window": 0.1,
        "specificity": 0.5,
        "length": 0.5,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Weights of the features.

    Attributes:
        scaled: weights of scaled features, per unit of spread (`SPREADS`); negative if less is better.
        plain: weights of plain features.
        usual: what the plain features of a good candidate usually add, by which scores are scaled: half the sum of
            their weights when the answer weights and the confidence were fitted.
    """

    scaled: Mapping[str, float]
    plain: Mapping[str, float]
    usual: float


_KNOWLEDGE = {
    "entity_match": 1.0,
    "multi_hop": 3.0,
    "importance": 0.1,
    "recency": 0.1,
}
_PLAIN_EN = {
    "speaker": 2.1,
    "time_range": 3.1,
    "contains_time": 1.5,
    "contains_number": 0.75,
    "role": 2.0,
}
_PLAIN_ZH = {
    "speaker": 2.1,
    "time_range": 2.5,
    "contains_time": 1.7,
    "contains_number": 0.8,
    "role": 2.0,
}


def _weights(scaled: Mapping[str, float], plain: Mapping[str, float], usual: float = 7.3) -> Weights:
    return Weights(scaled=MappingProxyType(dict(scaled)), plain=MappingProxyType({**plain, **_KNOWLEDGE}), usual=usual)


# With token vectors, which replace the vector of the whole message.
ENGLISH = _weights(
    {
        "lexical": 0.1,
        "lexical_previous": 0.4,
        "lexical_window": 1.2,
        "token_similarity": 0.85,
        "token_similarity_window": 1.3,
        "fact_similarity": 0.5,
        "specificity": 0.3,
        "length": -0.3,
    },
    _PLAIN_EN,
)
ENGLISH_BY_VECTORS = _weights(
    {
        "lexical": 0.4,
        "lexical_previous": 0.45,
        "lexical_window": 2.3,
        "similarity": 0.85,
        "similarity_window": 0.25,
        "fact_similarity": 0.5,
        "specificity": 0.3,
    },
    _PLAIN_EN,
)
ENGLISH_BY_WORDS = _weights(
    {"lexical": 0.9, "lexical_previous": 0.6, "lexical_window": 3.0, "specificity": 0.3, "length": 0.2}, _PLAIN_EN
)
_WORDS_ZH = {"lexical": 0.6, "lexical_previous": 0.1, "lexical_window": 0.15, "length": 0.2}
CHINESE = _weights(
    {
        **_WORDS_ZH,
        "lexical": 0.2,
        "length": 0.4,
        "similarity": 0.5,
        "token_similarity": 0.2,
        "token_similarity_window": 0.5,
        "fact_similarity": 0.3,
    },
    _PLAIN_ZH,
)
CHINESE_BY_VECTORS = _weights(
    {**_WORDS_ZH, "similarity": 0.7, "similarity_window": 0.2, "fact_similarity": 0.3}, _PLAIN_ZH
)
CHINESE_BY_WORDS = _weights(_WORDS_ZH, _PLAIN_ZH)
# For messages to an assistant, and for small memories. Fitted like the others, on everyday memories of 16 to 650
# messages in both languages, with and without facts of the agent (docs/evaluation.md). There, neighbours matter little
# and the time of a statement much: the weights for conversations between people lose a tenth of the first hits, and
# these weights lose a tenth of recall@10 in conversations.
_EVERYDAY_PLAIN = {
    "entity_match": 0.55,
    "multi_hop": 0.9,
    # Facts that an agent provided have a confidence of 0.9, and rank above their message. Those that the service reads
    # have 0.75, and rank below it: they say less.
    "provided_fact": 0.4,
    "uncertain_fact": -2.7,
    "contains_time": 1.2,
    "contains_number": 0.7,
    "newer_now": 3.0,
    "newer_now_relevant": 1.0,
    "newer_open_relevant": 1.0,
    "newer_former": -1.0,
    "list_item": 0.8,
    "change_now": 0.75,
    "after_asked_time": -1.4,
    "follow_up": 1.0,
    "user_message": 0.35,
    "user_reason": 0.7,
    "reason": 1.4,
    "agent_message": 1.0,
    "choice_for_chosen": 2.0,
    "brief_for_usual": -3.0,
    "instruction": 1.0,
    "instruction_for_work": 3.0,
    "attribute": 0.5,
    "newest_now": 1.0,
    "newest_dated": 0.5,
    "of_relative": -0.7,
    # These were not in the data, or had no weight.
    "speaker": 0.3,
    "time_range": 0.2,
    "role": 1.5,
}


def _everyday(scaled: Mapping[str, float], *, usual: float = 5.5, **plain: float) -> Weights:
    plain = {**_EVERYDAY_PLAIN, **plain}
    return Weights(scaled=MappingProxyType(dict(scaled)), plain=MappingProxyType(plain), usual=usual)


# The weights of words are higher, and those of the length lower, than fitted: nobody in the data asks in keywords.
EVERYDAY = _everyday(
    {
        "lexical": 0.35,
        "lexical_previous": 0.2,
        "similarity": 0.15,
        "fact_similarity": 0.35,
        "token_similarity": 0.3,
        "token_similarity_window": 0.65,
        "specificity": -0.2,
        "length": 0.15,
    }
)
EVERYDAY_BY_VECTORS = _everyday(
    {
        "lexical": 0.35,
        "lexical_previous": 0.2,
        "lexical_window": 0.25,
        "similarity": 0.5,
        "similarity_window": 0.4,
        "fact_similarity": 0.35,
        "specificity": -0.25,
        "length": 0.2,
    }
)
EVERYDAY_BY_WORDS = _everyday(
    {"lexical": 1.0, "lexical_previous": 0.25, "lexical_window": 0.55, "specificity": -0.15, "length": 0.2}
)
# For chats with an assistant that answers at length. Fitted on five chats of BEAM: an answer of 3,000 characters shares
# words with any question, while three quarters of the evidence are short messages of the user. `role` and
# `agent_message` turn this round if the question asks what the assistant said.
_USER_SAID: Final = 1.6
LONG_ANSWERS = _everyday(
    {"lexical": 1.1, "similarity": 1.6, "token_similarity": 1.2, "token_similarity_window": 1.9, "length": -1.2},
    usual=6.1,
    user_message=_USER_SAID,
)
LONG_ANSWERS_BY_VECTORS = _everyday(
    {"lexical": 1.0, "similarity": 2.4, "length": -0.85}, usual=6.1, user_message=_USER_SAID
)
LONG_ANSWERS_BY_WORDS = _everyday({"lexical": 1.5, "length": -0.5}, usual=6.1, user_message=_USER_SAID)
# Median length of the assistant's messages in UTF-8 from which its answers count as long, and fully. Bytes, because
# a Chinese answer has a third as many characters. Medians measured: 40 to 60 in everyday memories, 100 to 250 in
# conversations of people, 2,500 to 4,400 in BEAM.
_SHORT_BYTES, _LONG_BYTES = 400, 1_200
# Up to this many messages of one person alone, such as notes, count as messages to an assistant; twice as many do not.
_NOTES_MAX: Final = 40
# A text that is too long for a question is taken for conversation, of which only the topic counts. Chinese has a lower
# weight of words, because it is matched by words and by characters.
_CONVERSATION_PLAIN = {"speaker": 1.0, "time_range": 1.0}
CONVERSATION = _weights({"lexical": 0.65, "similarity": 1.6}, _CONVERSATION_PLAIN, usual=3.3)
CONVERSATION_ZH = _weights({"lexical": 0.35, "similarity": 1.6}, _CONVERSATION_PLAIN, usual=3.3)
CONVERSATION_BY_WORDS = _weights({"lexical": 1.0}, _CONVERSATION_PLAIN, usual=3.3)
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
    words = ("lexical", "lexical_previous", "lexical_window")
    meaning = ("similarity", "similarity_window", "fact_similarity", "token_similarity", "token_similarity_window")
    time = (
        "time_range",
        "contains_time",
        "newer_now",
        "newer_now_relevant",
        "newer_open_relevant",
        "newer_former",
        "newest_now",
        "newest_dated",
        "change_now",
        "follow_up",
        "after_asked_time",
    )
    factors = {
        **dict.fromkeys(words, settings.words_factor),
        **dict.fromkeys(meaning, settings.meaning_factor),
        **dict.fromkeys(time, settings.time_factor),
        **dict.fromkeys(("entity_match", "multi_hop"), settings.graph_factor),
        **dict.fromkeys(("speaker", "role", "user_message", "agent_message", "user_reason"), settings.role_factor),
        **dict.fromkeys(("recency", "importance"), settings.recency_factor),
    }

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


def rank(found: CandidateSet, weights: Weights, *, analysis: QueryAnalysis, now: datetime, limit: int) -> list[Hit]:
    """Return the best candidates, at most `limit`; equal scores are ordered by kind, newest first, then text and id.

    The result does not depend on the order of candidates, nor on generated ids unless texts are equal.
    """
    candidates = found.candidates
    if not candidates:
        return []
    raw = features_of(found, analysis, now=now, wanted=_to_compute(weights))
    messages = np.array([one.kind is HitKind.MESSAGE for one in candidates])
    parts = {
        name: _weighted(raw.scaled[name], weight / SPREADS[name], messages)
        for name, weight in weights.scaled.items()
        if name in raw.scaled
    }
    relevance = _relevance(parts)
    plain = _with_relevance(raw.plain, relevance)
    is_now = analysis.time_reference is TimeReference.NOW and analysis.answer_type is not AnswerType.WHY
    if relevance is not None and is_now and "follow_up" in weights.plain:
        plain = {**plain, "follow_up": follow_ups(found, relevance, analysis)}
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
    order = sorted(range(len(keys)), key=keys.__getitem__)[:limit]
    return [
        Hit(candidate=candidates[at], score=-keys[at][0], parts=dict(zip(parts, columns[at], strict=True)))
        for at in order
    ]


def _to_compute(weights: Weights) -> frozenset[str]:
    """Return the names of the plain features that count, themselves or multiplied by the relevance."""
    return frozenset(weights.plain).union(name for name in _NEWER if f"{name}_relevant" in weights.plain)


def _relevance(scaled: Mapping[str, Floats]) -> Floats | None:
    """Return the sum of the weighted scaled features, from 0 (the lowest of the candidates) to 1; None without any."""
    if not scaled:
        return None
    total: Floats = np.sum([*scaled.values()], axis=0)
    relevance: Floats = (total - total.min()) / (float(np.ptp(total)) or 1.0)
    return relevance


def _with_relevance(plain: Mapping[str, Floats], relevance: Floats | None) -> Mapping[str, Floats]:
    """Add the position in time, multiplied by the relevance: what is new and about something else is no answer."""
    if relevance is None:
        return plain
    positions = {name: plain[name] for name in _NEWER if name in plain}
    return {**plain, **{f"{name}_relevant": values * relevance for name, values in positions.items()}}


def _weighted(values: Floats, weight: float, messages: npt.NDArray[np.bool_]) -> Floats:
    """Multiply values by a weight and shift them to a minimum of 0; missing ones become the mean of the messages."""
    known = ~np.isnan(values)
    base = values[known & messages] if (known & messages).any() else values[known]
    if not len(base):
        return np.zeros(len(values))
    counted: Floats = weight * np.where(known, values, base.mean())
    counted -= counted.min()
    return counted
