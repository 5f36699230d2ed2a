"""Estimate how likely a memory contains an answer: logistic regression on features of question and candidates. Pure.

`confidence.toml` has the weights, and says where they come from.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from types import MappingProxyType
from typing import Any, Final

from extraction.answer_values import ValueKind
from extraction.query_analysis import AnswerType, Intent, QueryAnalysis
from extraction.text.languages import is_english_or_chinese
from extraction.text.name_forms import address_among
from extraction.text.search_terms import Terms, terms_found_in, terms_of
from extraction.text.toml_files import toml_of
from graph_service.memory.recall.candidates import Candidate, Hit
from graph_service.memory.recall.features import in_time, value_test
from graph_service.memory.recall.query import HitKind
from schema.ids import name_key

# Answers with a lower confidence are marked as `nothing_relevant`.
RELEVANT_MIN: Final = 0.5
_TEXT_CHARS_MAX: Final = 2_000
# For a question without a topic, whose words all ask for a value: "How old am I?".
_NO_TOPIC: Final = 0.5
# Fewer messages are few.
_FEW: Final = 20
# A careful agent provides 20 facts of an everyday memory (median).
_SOME_FACTS, _MANY_FACTS = 8, 12
# With the local models, unrelated texts have cosines below 0.3, and answers 0.4 to 0.7.
_COSINE_LOW, _COSINE_HIGH = 0.1, 0.7
# Confidence in what fits the time of a question without a topic: an estimate, as no set has such questions.
_IN_TIME: Final = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceFeatures:
    """Features of a question and its candidates; `known`, `best`, `meaning`, `joint` and `stranger` are from 0 to 1.

    Attributes:
        known: share of the question's terms that any candidate contains, weighted by rarity.
        best: highest share that a single candidate contains.
        meaning: best cosine, scaled to 0 for unrelated texts and 1 for paraphrases; None without vectors.
        joint: best mean of share and scaled cosine of a single candidate.
        stranger: 1 if the question names somebody or something that no candidate mentions, else 0.
        words: logarithm of the number of terms.
        similarity_mean: mean cosine of the messages; None without vectors.
        answer_type: what the question asks for.
        value_kind: kind of value that it asks for, if any.
        asks_agent: 1 if it asks what the agent said or will do, else 0.
        lead: best score of a hit that holds a value of the kind asked for, minus the median score; 0 if none does. If
            the question asks for no value, that of the best hit. 0 unless ranked in the default mode.
        first_holds: 1 if the first hit holds such a value or none is asked for, else 0.
        first_cosine: cosine of the first hit; without hits, of the nearest candidate.
        chinese: 1 if the question is mostly Chinese, else 0.
        few: logarithm of 20 divided by the number of messages found, if that is lower: all features are lower in a
            memory of few messages.
        answer: best answer score, 0 to 1 (`answer_ranking`); None if none was scored, or if the question only names
            what it wants ("suggest a dinner for my sister"), which no text answers.
        first_answer: answer score of the first hit; 0 without one.
        second_answer: second best answer score, 0 to 1; 0 with fewer than two. What several texts seem to answer is
            rarely a chance likeness.
        in_time: for a question that names a time and no topic ("what did I tell you on Friday?"), how well the first
            hit fits the time, 0 to 1: the time alone decides. None for other questions.
        by_meaning: question or first hit are neither English nor Chinese, so that only cosines are comparable.
        across: 1 if the first hit is in another language than the question, else 0: its cosine is lower.
        facts: 0 for at most 8 valid facts found that an agent provided, 1 for 12 or more: where an agent provides many
            facts, one of them resembles any question.
    """

    known: float
    best: float
    meaning: float | None
    joint: float
    stranger: float
    words: float
    similarity_mean: float | None = None
    answer_type: AnswerType = AnswerType.OTHER
    value_kind: ValueKind | None = None
    asks_agent: float = 0.0
    lead: float = 0.0
    first_holds: float = 1.0
    first_cosine: float = 0.0
    chinese: float = 0.0
    few: float = 0.0
    facts: float = 0.0
    answer: float | None = None
    first_answer: float = 0.0
    second_answer: float = 0.0
    in_time: float | None = None
    by_meaning: bool = False
    across: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceWeights:
    """Weights of the features, by name, and the intercept `base`.

    Attributes:
        answer_types: addend for each type of answer; a positive one is multiplied by 1.5 `known`, at most 1.
        value_kinds: addend for each kind of value.
    """

    base: float
    features: Mapping[str, float]
    answer_types: Mapping[AnswerType, float]
    value_kinds: Mapping[ValueKind, float]

    def total(self, features: ConfidenceFeatures) -> float:
        """Return the logarithm of the odds that the memory contains an answer."""
        of_type = self.answer_types.get(features.answer_type, 0.0)
        of_value = 0.0 if features.value_kind is None else self.value_kinds.get(features.value_kind, 0.0)
        weighted = (weight * (getattr(features, name) or 0.0) for name, weight in self.features.items())
        return (of_type * min(1.5 * features.known, 1.0) if of_type > 0 else of_type) + math.fsum(
            (self.base, *weighted, of_value)
        )


_TABLES: Final = toml_of("graph_service.memory.recall", "confidence.toml")


def _weights(name: str, column: int) -> ConfidenceWeights:
    """Return the weights in a column of a table."""
    table: dict[str, Any] = _TABLES[name]
    features = {feature: row[column] for feature, row in table.items() if isinstance(row, list) and row[column]}
    base = features.pop("base")
    assert features.keys() <= ConfidenceFeatures.__dataclass_fields__.keys(), "every weight is that of a feature"
    return ConfidenceWeights(
        base=base,
        features=features,
        answer_types={AnswerType(kind): row[column] for kind, row in table.get("answer_types", {}).items()},
        value_kinds={ValueKind(kind): row[column] for kind, row in table.get("value_kinds", {}).items()},
    )


ENGLISH, ENGLISH_WITHOUT_VECTORS, CHINESE, CHINESE_WITHOUT_VECTORS = (_weights("people", at) for at in range(4))
EVERYDAY_WITH_ANSWERS, EVERYDAY, EVERYDAY_WITHOUT_VECTORS = (_weights("everyday", at) for at in range(3))
BY_MEANING_WITH_ANSWERS, BY_MEANING = (_weights("by_meaning", at) for at in range(2))


def confidence_of(features: ConfidenceFeatures, *, chinese: bool, dialogue: float = 0.0) -> float:
    """Return the probability that the memory contains an answer, 0 to 1.

    Args:
        dialogue: share of the weights for messages to an assistant (`ranking.dialogue_share`), 0 to 1.
    """
    if features.in_time is not None:
        return _IN_TIME if features.in_time == 1.0 else round(_IN_TIME / 2 * features.in_time, 4)
    vectors = features.meaning is not None
    if features.by_meaning and vectors:
        return _probability((BY_MEANING if features.answer is None else BY_MEANING_WITH_ANSWERS).total(features))
    with_vectors = EVERYDAY if features.answer is None else EVERYDAY_WITH_ANSWERS
    everyday = with_vectors if vectors else EVERYDAY_WITHOUT_VECTORS
    english = ENGLISH if vectors else ENGLISH_WITHOUT_VECTORS
    total = ((CHINESE if vectors else CHINESE_WITHOUT_VECTORS) if chinese else english).total(features)
    if dialogue > 0.0:
        total = (1 - dialogue) * total + dialogue * everyday.total(features)
    return _probability(total)


def _probability(log_odds: float) -> float:
    return round(1.0 / (1.0 + math.exp(-log_odds)), 4)


def confidence_features(
    analysis: QueryAnalysis,
    candidates: Sequence[Candidate],
    *,
    own_names: Collection[str] = (),
    hits: Sequence[Hit] = (),
    answers: Mapping[str, float] = MappingProxyType({}),
) -> ConfidenceFeatures:
    """Return the features of a question and its candidates, whose order does not matter.

    Args:
        own_names: names of the user, which never count as strangers.
        hits: hits of the default ranking, best first; empty in other modes.
        answers: answer scores of some of them, 0 to 1, by id.
    """
    speakers = frozenset(name_key(name) for name in {one.speaker for one in candidates} if name)
    addresses = "".join(address_among(name, analysis.name_keys) or "" for name in speakers)
    by_term = _candidates_by_term(analysis.topic_terms.without((), addresses), candidates, speakers)
    rarity = {term: math.log((len(candidates) + 1) / (len(found) + 0.5)) for term, found in by_term.items()}
    total = math.fsum(rarity.values()) or 1.0
    shares = [0.0] * len(candidates)
    for term, found in by_term.items():
        for at in found:
            shares[at] += rarity[term] / total
    for at, one in enumerate(candidates):
        # A text in the other language shares no words with the question, so its cosine replaces the share.
        if one.is_cross_language:
            shares[at] = max(shares[at], _scaled(one.cosine or 0.0))
    # Of equal cosines that of the last text, since the order of candidates does not count.
    by_cosine = max(candidates, key=lambda one: (-1.0 if one.cosine is None else one.cosine, one.text), default=None)
    nearest = None if by_cosine is None else by_cosine.cosine
    first = hits[0].candidate if hits else by_cosine
    cosines = [one.cosine for one in candidates if one.kind is HitKind.MESSAGE and one.cosine is not None]
    pairs = zip(shares, candidates, strict=True)
    known_names = {*speakers, *map(name_key, own_names)}
    # Most questions find such a hit among the first few, and searching all of them takes as long as ranking.
    holds = value_test((hit.candidate.speaker for hit in hits), analysis)
    holder = next((hit for hit in hits if holds(hit.candidate)), None)
    middle = median(hit.score for hit in hits) if hits else 0.0
    messages_n = sum(one.kind is HitKind.MESSAGE for one in candidates)
    facts_n = sum(one.is_provided and not one.closed for one in candidates)
    return ConfidenceFeatures(
        known=max(
            math.fsum(rarity[term] for term, found in by_term.items() if found) / total if by_term else _NO_TOPIC,
            # A text in the other language shares no words with the question.
            max((_scaled(one.cosine or 0.0) for one in candidates if one.is_cross_language), default=0.0),
        ),
        best=max(shares, default=0.0),
        meaning=None if nearest is None else _scaled(nearest),
        joint=max((share / 2 + _scaled(one.cosine or 0.0) / 2 for share, one in pairs), default=0.0),
        stranger=float(_names_a_stranger(analysis.possible_names, candidates, known_names)),
        words=math.log1p(len(by_term)),
        similarity_mean=math.fsum(cosines) / len(cosines) if cosines else None,
        answer_type=analysis.answer_type,
        value_kind=analysis.value_kind,
        asks_agent=float(analysis.asks_agent),
        lead=0.0 if holder is None else holder.score - middle,
        first_holds=float(not hits or holder is hits[0]),
        first_cosine=0.0 if first is None else first.cosine or 0.0,
        chinese=float(analysis.chinese),
        few=max(math.log(_FEW / messages_n), 0.0) if messages_n else 0.0,
        facts=min(max(facts_n - _SOME_FACTS, 0) / (_MANY_FACTS - _SOME_FACTS), 1.0),
        answer=None if _is_request(analysis) else max(answers.values(), default=None),
        first_answer=answers.get(hits[0].candidate.id, 0.0) if hits else 0.0,
        second_answer=sorted(answers.values())[-2] if len(answers) > 1 else 0.0,
        in_time=in_time(hits[0].candidate, analysis) if hits and analysis.only_time else None,
        by_meaning=analysis.by_meaning
        or (first is not None and not is_english_or_chinese(first.text[:_TEXT_CHARS_MAX])),
        across=float(first is not None and first.is_cross_language),
    )


def _is_request(analysis: QueryAnalysis) -> bool:
    return analysis.intent is Intent.GENERAL and analysis.value_kind is None


def _candidates_by_term(
    terms: Terms, candidates: Sequence[Candidate], speakers: Collection[str]
) -> dict[str, list[int]]:
    """Return the indexes of the candidates that contain each term; terms in names of speakers are left out."""
    # Field by field, because the ranking tokenises the same texts, and the tokens of each text are cached.
    names = {part for name in speakers for part in (*terms_of(name, language=terms.language).stems, name)}
    by_term: dict[str, list[int]] = {term: [] for term in (*terms.stems, *terms.strings) if term not in names}
    # Many candidates share their subject, object or speaker.
    names_found: dict[str, list[str]] = {}
    for at, one in enumerate(candidates):
        found = terms_found_in(terms, one.text[:_TEXT_CHARS_MAX])
        for name in (one.title, one.subject, one.object, one.speaker):
            if name:
                if name not in names_found:
                    names_found[name] = terms_found_in(terms, name)
                found += names_found[name]
        for term in by_term.keys() & set(found) if found else ():
            by_term[term].append(at)
    return by_term


def _names_a_stranger(names: Collection[str], candidates: Sequence[Candidate], known: Collection[str]) -> bool:
    """Return whether one of the names is neither known nor mentioned by any candidate."""
    strangers = set(names) - {word for name in known for word in name.split()}
    if not strangers:
        return False
    texts = [_text(candidate) for candidate in candidates]
    return any(not any(name in text for text in texts) for name in strangers)


def _text(one: Candidate) -> str:
    parts = (one.text[:_TEXT_CHARS_MAX], one.title, one.subject, one.object, one.speaker)
    return " ".join(part for part in parts if part).casefold()


def _scaled(cosine: float) -> float:
    return min(max((cosine - _COSINE_LOW) / (_COSINE_HIGH - _COSINE_LOW), 0.0), 1.0)
