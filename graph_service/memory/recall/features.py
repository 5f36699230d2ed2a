"""Compute the ranking features of the candidates, one array per feature; `ranking` weights them. Pure."""

import heapq
import math
import re
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final

import numpy as np

from extraction.answer_values import Attribute, ValueKind, holds_value, states_attribute
from extraction.embeddings.late_interaction import QuestionTokens, piece_matches, weighted, words_of_name
from extraction.list_questions import adds_item
from extraction.query_analysis import AnswerType, QueryAnalysis, TimeReference, begins_with
from extraction.temporal.phrases import plain_apostrophes, spans_in
from extraction.temporal.question_time import TimeAxis
from extraction.text.cues import gives_reason, instructs, reports_change, tells_brief, tells_of_other
from extraction.text.glosses import english_gloss
from extraction.text.name_forms import address_among
from extraction.text.search_terms import Terms, terms_of
from graph_service.memory.recall.candidates import Candidate, CandidateSet
from graph_service.memory.recall.lexical_scores import (
    Floats,
    LexicalScores,
    best_nearby,
    bm25_of,
    conversations,
    lexical_scores,
    session_bounds,
)
from graph_service.memory.recall.query import HitKind
from schema.ids import name_key
from schema.labels import Role
from schema.result_cache import cached_by_chars
from schema.timespan import Timespan

# Number of messages in a window that is scored as one text.
WINDOW: Final = 6
# Neighbours that count for late interaction: two on each side.
_NEIGHBOURS: Final = (-2, -1, 1, 2)
_RECENCY_HALF_LIFE_DAYS: Final = 180.0
_DAY_S: Final = 86_400
_NUMBER: Final = re.compile(
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|dozen|several|couple|once|twice)\b|[一二两三四五六七八九十几]+[个次年天月只条件]",
    re.IGNORECASE,
)
# Quick check: matches every text in which `spans_in` can find a time.
_MAY_NAME_TIME: Final = re.compile(
    r"\d|day|week|month|year|night|morning|afternoon|evening|tomorrow|"
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|[年月日天周号晚早]|星期|礼拜",
    re.IGNORECASE,
)
# Only this beginning of a text is searched for times and cues, because a recall ranks two hundred texts.
_READ_CHARS_MAX: Final = 4_000
_CACHED_TEXTS: Final = 8_192
_CACHED_CUES: Final = 16_384
_CACHED_CHARS: Final = 4_000_000
_DIGIT: Final = re.compile(r"\d")
# Channel of candidates whose stored mentioned time overlaps the time of the question.
_HAPPENED: Final = "happened"
# Longest chain of former values that is followed.
_CHAIN_MAX: Final = 16
# Number of Chinese texts that are glossed for an English question, nearest first, and their length; a gloss takes about
# half a millisecond.
_GLOSSED_N, _GLOSSED_CHARS = 40, 300
# Features that compare word pieces, and features that are not comparable between languages.
_OF_TOKENS: Final = frozenset(("token_similarity", "token_similarity_window"))
_NOT_COMPARABLE: Final = frozenset(("length", "specificity"))
# What a text counts for the day on which it was said if it names other times only.
_SAID_OF_OTHER_TIME: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """Raw features of all candidates, in their order.

    Attributes:
        scaled: features without a fixed scale (BM25, cosines), which count relative to the other candidates; NaN if
            missing.
        plain: features from 0 to 1, which count as they are.
    """

    scaled: Mapping[str, Floats]
    plain: Mapping[str, Floats]


def features_of(
    found: CandidateSet, analysis: QueryAnalysis, *, now: datetime, wanted: Container[str] | None = None
) -> Features:
    """Return the features of all candidates.

    Args:
        wanted: names of the plain features to compute; all by default.
    """
    messages = found.messages
    speaker = speaker_asked(messages, analysis)
    terms = _topic_terms(analysis, speaker)
    sessions = conversations([one.session for one in messages], [one.said_at for one in messages])
    texts = _comparable_texts({one.id: one for one in (*messages, *found.candidates)}, analysis)
    words = lexical_scores(terms, [texts[one.id] for one in messages], sessions, window=WINDOW)
    across, words_across = terms, words
    if len(analysis.glossed_terms) and any(one.is_cross_language for one in found.candidates):
        # English texts have the words of the gloss of a Chinese question.
        across = analysis.glossed_terms
        words_across = lexical_scores(across, [one.text for one in messages], sessions, window=WINDOW)
    columns = {
        **_of_messages(messages, sessions, _by_language(messages, words, words_across)),
        **_of_tokens(messages, sessions, analysis, speaker),
    }
    scaled = _scaled(found, columns, _bm25_of_others(found.candidates, texts, (terms, words), (across, words_across)))
    _impute_other_language(scaled, found.candidates, with_tokens=analysis.cross_language_tokens is not None)
    columns_of = _plain(found.candidates, analysis, speaker, now)
    plain = {name: column() for name, column in columns_of.items() if wanted is None or name in wanted}
    multi_hop = _multi_hop(found, analysis)
    for at, before in first_hops(found).items() if multi_hop.any() else ():
        for values in scaled.values():
            # Two-hop facts inherit the best value along their path.
            values[at] = np.fmax.reduce(values[[at, *before]])
    _share_between_values(scaled, found.candidates, analysis)
    return Features(scaled=scaled, plain={**plain, "multi_hop": multi_hop})


def speaker_asked(messages: Sequence[Candidate], analysis: QueryAnalysis) -> str | None:
    """Return the name key of the only speaker that the question names or addresses; None for none or several."""
    speakers = {name_key(name) for name in {one.speaker for one in messages} if name}
    named = speakers & analysis.name_keys or {one for one in speakers if address_among(one, analysis.name_keys)}
    return named.pop() if len(named) == 1 else None


def _topic_terms(analysis: QueryAnalysis, speaker: str | None) -> Terms:
    """Return the terms without the name of the speaker asked for, which selects messages and is not a topic."""
    if speaker is None:
        return analysis.terms
    others = analysis.terms.without(terms_of(speaker, language=analysis.terms.language).stems, speaker)
    if address := address_among(speaker, analysis.name_keys):
        others = others.without((), address)
    return others if len(others) else analysis.terms


# Features of messages, and how facts and scenes inherit them


def _by_language(messages: Sequence[Candidate], words: LexicalScores, across: LexicalScores) -> LexicalScores:
    """Return the scores of each message: `words`, or `across` for one in the other language."""
    cross_language = np.array([one.is_cross_language for one in messages], np.bool_)
    return replace(
        words,
        own=np.where(cross_language, across.own, words.own),
        before=np.where(cross_language, across.before, words.before),
        near=np.where(cross_language, across.near, words.near),
    )


def _comparable_texts(candidates: Mapping[str, Candidate], analysis: QueryAnalysis) -> dict[str, str]:
    """Return the texts by id of the candidate; for an English question, the nearest Chinese ones as English glosses."""
    texts = {name: one.text for name, one in candidates.items()}
    if analysis.english:
        others = (name for name, one in candidates.items() if one.is_cross_language)
        for name in heapq.nlargest(_GLOSSED_N, others, key=lambda name: candidates[name].cosine or 0.0):
            texts[name] = english_gloss(texts[name][:_GLOSSED_CHARS])
    return texts


def _of_messages(messages: Sequence[Candidate], sessions: Sequence[str], words: LexicalScores) -> dict[str, Floats]:
    first, end = session_bounds(sessions)
    cosines = np.array([np.nan if one.cosine is None else one.cosine for one in messages], np.float64)
    known = np.where(np.isnan(cosines), 0.0, cosines)
    total = np.concatenate([[0.0], np.cumsum(known)])
    places = np.arange(len(messages))
    ends = np.minimum(places + WINDOW, end)
    means = (total[ends] - total[places]) / np.maximum(ends - places, 1)
    means = np.where((ends - places == WINDOW) | (places == first), means, -1.0)
    return {
        "lexical": words.own,
        "lexical_previous": words.before,
        "lexical_window": words.near,
        "similarity": cosines,
        "similarity_window": best_nearby(means, first, end, range(1 - WINDOW, 0)),
        # Missing for messages that prove no retrieved fact, which then count like the mean message.
        "fact_similarity": np.array(
            [np.nan if one.fact_cosine is None else one.fact_cosine for one in messages], np.float64
        ),
        "specificity": words.specificity,
        "length": np.array([math.log1p(len(one.text)) for one in messages], np.float64),
    }


def _of_tokens(
    messages: Sequence[Candidate], sessions: Sequence[str], analysis: QueryAnalysis, speaker: str | None
) -> dict[str, Floats]:
    """Return the late-interaction scores of each message, and of its neighbourhood.

    Empty without token vectors, and for a question of `only_time`: "what am I doing" matches messages of any time.
    """
    if analysis.tokens is None or analysis.only_time:
        return {}
    if not messages:
        return {name: np.zeros(0) for name in _OF_TOKENS}
    # The time asked for selects messages by their times: "yesterday" is not the word in a message.
    names = analysis.time_words | (words_of_name(speaker) if speaker is not None else frozenset())
    own, near = _token_similarities(analysis.tokens.without(names), messages, sessions)
    if analysis.cross_language_tokens is not None:
        cross_language = np.array([one.is_cross_language for one in messages], np.bool_)
        glossed = analysis.cross_language_tokens.without(names)
        own_glossed, near_glossed = _token_similarities(glossed, messages, sessions)
        own, near = np.where(cross_language, own_glossed, own), np.where(cross_language, near_glossed, near)
    return {"token_similarity": own, "token_similarity_window": near}


def _token_similarities(
    question: QuestionTokens, messages: Sequence[Candidate], sessions: Sequence[str]
) -> tuple[Floats, Floats]:
    first, end = session_bounds(sessions)
    matches = piece_matches(question, [one.tokens for one in messages]).astype(np.float64)
    around = best_nearby(matches, first, end, _NEIGHBOURS)
    return (
        weighted(question, matches.astype(np.float32)).astype(np.float64),
        weighted(question, around.astype(np.float32)).astype(np.float64),
    )


def _scaled(found: CandidateSet, columns: Mapping[str, Floats], bm25: Mapping[int, float]) -> dict[str, Floats]:
    """Return the scaled features of all candidates; a fact inherits the best value of the messages that prove it.

    Args:
        columns: features of the messages.
        bm25: BM25 of scenes and facts, by index of the candidate.
    """
    place = {one.id: at for at, one in enumerate(found.messages)}
    of_messages = np.array([*columns.values()], np.float64).reshape(len(columns), len(found.messages))
    table = np.full((len(columns), len(found.candidates)), np.nan)
    messages = [at for at, one in enumerate(found.candidates) if one.kind is HitKind.MESSAGE]
    table[:, messages] = of_messages[:, [place[found.candidates[at].id] for at in messages]]
    scaled = dict(zip(columns, table, strict=True))
    for at, score in bm25.items():
        candidate = found.candidates[at]
        proofs = [place[proof] for proof in candidate.proofs if proof in place]
        if not candidate.closed:
            # An overtaken message matches the question by its closed fact, not by this one.
            proofs = [proof for proof in proofs if found.messages[proof].overtaken_by is None]
        if proofs and candidate.kind is HitKind.FACT:
            table[:, at] = np.fmax.reduce(of_messages[:, proofs], axis=1)
        # The weight of the length was fitted on messages, so statements and summaries have no length.
        scaled["length"][at] = np.nan
        scaled["lexical"][at] = score
        if candidate.cosine is not None:
            scaled["similarity"][at] = candidate.cosine
            if candidate.kind is HitKind.FACT:
                scaled["fact_similarity"][at] = candidate.cosine
    for name in _OF_TOKENS & scaled.keys():
        scaled[name] = _imputed(scaled[name], scaled["similarity"])
    return scaled


def _impute_other_language(scaled: dict[str, Floats], candidates: Sequence[Candidate], *, with_tokens: bool) -> None:
    """Make the features of texts in the other language comparable, in place.

    Length and specificity become NaN. Without token vectors for that language, late interaction is imputed from the
    cosines: as many standard deviations from the mean of the other texts, but at most that of the best of them, because
    a guess is never better than what was compared. A higher value of the text itself is kept, because names are the
    same in both languages.

    Args:
        with_tokens: the question has token vectors for texts in the other language.
    """
    cross_language = np.array([one.is_cross_language for one in candidates], np.bool_)
    if not cross_language.any():
        return
    for name in _NOT_COMPARABLE & scaled.keys():
        scaled[name] = np.where(cross_language, np.nan, scaled[name])
    for name in () if with_tokens else _OF_TOKENS & scaled.keys():
        others = np.where(cross_language, np.nan, scaled[name])
        imputed = _imputed(others, scaled["similarity"])
        best = np.nan if np.isnan(others).all() else np.nanmax(others)
        scaled[name] = np.where(
            cross_language, np.fmax(scaled[name], np.where(imputed > best, best, imputed)), scaled[name]
        )


def _imputed(values: Floats, cosines: Floats) -> Floats:
    """Impute missing values, each as many standard deviations from the mean as the cosine of its candidate.

    Scenes and facts have a vector but no token vectors; without this, similar ones would count like the mean message.
    """
    both = ~np.isnan(values) & ~np.isnan(cosines)
    missing = np.isnan(values) & ~np.isnan(cosines)
    if not missing.any():
        return values
    # Without known values, return the cosines.
    of_cosines, of_values = (cosines[both], values[both]) if both.sum() > 1 else (cosines[missing], cosines[missing])
    deviations = (cosines - of_cosines.mean()) / (float(of_cosines.std()) or 1.0)
    return np.where(missing, of_values.mean() + deviations * of_values.std(), values)


def _bm25_of_others(
    candidates: Sequence[Candidate],
    texts: Mapping[str, str],
    same: tuple[Terms, LexicalScores],
    across: tuple[Terms, LexicalScores],
) -> dict[int, float]:
    """Return the BM25 scores of scenes and facts, by index of the candidate.

    Args:
        texts: text to compare, by id of the candidate.
        same: terms for candidates in the language of the question, and the scores of the messages by them.
        across: the same for candidates in the other language.
    """
    found: dict[int, float] = {}
    for is_across, (terms, messages) in ((False, same), (True, across)):
        places = [
            at
            for at, one in enumerate(candidates)
            if one.kind is not HitKind.MESSAGE and one.is_cross_language is is_across
        ]
        of_places = [_titled(candidates[at], texts[candidates[at].id]) for at in places]
        found |= dict(zip(places, bm25_of(of_places, terms, messages).tolist(), strict=True))
    return found


def _titled(candidate: Candidate, text: str) -> str:
    return f"{candidate.title} {text}" if candidate.title else text


# Plain features


def _plain(
    candidates: Sequence[Candidate], analysis: QueryAnalysis, speaker: str | None, now: datetime
) -> dict[str, Callable[[], Floats]]:
    """Return functions that compute the plain features, by name: most memories use only some of them."""
    when, number = analysis.answer_type is AnswerType.WHEN, analysis.answer_type is AnswerType.HOW_MANY

    def entity_match() -> Floats:
        entity = _column(one.scores.get("entity", 0.0) for one in candidates)
        return entity / (entity.max(initial=0.0) or 1.0)

    def recency() -> Floats:
        ages_s = np.maximum(_column((now - one.said_at).total_seconds() for one in candidates), 0.0)
        return np.exp(-math.log(2) / _RECENCY_HALF_LIFE_DAYS / _DAY_S * ages_s)

    return {
        "entity_match": entity_match,
        "speaker": lambda: _said_by(candidates, speaker),
        "time_range": lambda: _column(in_time(one, analysis) for one in candidates),
        "contains_time": lambda: _where(candidates, lambda one: bool(_times_of(one)), counts=when),
        "contains_number": lambda: _where(candidates, lambda one: _has_number(one.text), counts=number),
        "role": lambda: _column(one.kind is HitKind.MESSAGE and one.role == analysis.role for one in candidates),
        "importance": lambda: _column((one.importance or 5) / 10 for one in candidates),
        "recency": recency,
        "provided_fact": lambda: _column(one.is_provided for one in candidates),
        "uncertain_fact": lambda: _column(
            1.0 - (one.confidence or 0.0) if one.kind is HitKind.FACT else 0.0 for one in candidates
        ),
        "of_other": lambda: _where(candidates, _is_of_other, counts=analysis.of_user and not analysis.names_others),
        **_of_dialogue(candidates, analysis),
        **_of_attribute(candidates, analysis),
    }


def _where(candidates: Sequence[Candidate], test: Callable[[Candidate], bool], *, counts: bool) -> Floats:
    """Return 1 for candidates that pass a test; 0 for all, without testing them, unless it counts."""
    return _column(counts and test(one) for one in candidates)


# Features of messages to an assistant


@cached_by_chars(chars_max=_CACHED_CHARS, entries_max=_CACHED_CUES)
def _has_cue(text: str, cue: Callable[[str], bool], folded: bool) -> bool:
    return cue(plain_apostrophes(text) if folded else text)


def _of_dialogue(candidates: Sequence[Candidate], analysis: QueryAnalysis) -> dict[str, Callable[[], Floats]]:
    """Return the features for messages to an assistant, which depend on the time reference and type of the question.

    `newer_*` is the position of a candidate's day among all days, from 0 (oldest) to 1; it is named after the
    question's time reference, and those of other references are left out. `change_now` is 1 if a candidate reports a
    change and the question is about the present. `instruction` is 1 for what the user told the assistant about how to
    answer, `choice_for_chosen` for choices if the question asks for one, and `brief_for_usual` for what holds for some
    days if the question is about the rest. Cues are searched only where they count, because that takes longer than all
    other features.
    """
    why = analysis.answer_type is AnswerType.WHY
    reference = analysis.time_reference
    end = analysis.time.end if analysis.time and reference is TimeReference.DATED else None

    # Cues of six languages read texts as they are written: 今週, not 今周.
    def with_cue(cue: Callable[[str], bool], *, counts: bool, folded: bool = True) -> Floats:
        return _where(candidates, lambda one: _has_cue(one.text[:_READ_CHARS_MAX], cue, folded), counts=counts)

    def by(role: Role, *, counts: bool) -> Floats:
        return _where(candidates, lambda one: one.role == role, counts=counts)

    @cache
    def instruction() -> Floats:
        told = (one.role == Role.USER and _has_cue(one.text[:_READ_CHARS_MAX], instructs, False) for one in candidates)
        return _column(told)

    def is_after(one: Candidate) -> bool:
        return end is not None and one.said_at >= end and _HAPPENED not in one.scores

    return {
        "list_item": lambda: with_cue(adds_item, counts=analysis.asks_list),
        **({} if analysis.has_no_newest else {f"newer_{reference}": lambda: _positions_in_time(candidates)}),
        "change_now": lambda: with_cue(reports_change, counts=reference is TimeReference.NOW),
        # A statement about the time asked for may be made at any time after it.
        "after_asked_time": lambda: _where(candidates, is_after, counts=end is not None),
        "user_message": lambda: by(Role.USER, counts=analysis.role is None),
        "user_reason": lambda: by(Role.USER, counts=analysis.role is None and why),
        "reason": lambda: with_cue(gives_reason, counts=why),
        "agent_message": lambda: by(Role.ASSISTANT, counts=analysis.asks_agent),
        "choice_for_chosen": lambda: _where(candidates, lambda one: one.is_choice, counts=analysis.asks_choice),
        "brief_for_usual": lambda: with_cue(tells_brief, counts=analysis.asks_usual, folded=False),
        "instruction": instruction,
        "instruction_for_work": lambda: instruction() if analysis.asks_for_work else np.zeros(len(candidates)),
    }


def _is_of_other(one: Candidate) -> bool:
    """Return whether a message tells of somebody else than its speaker."""
    return one.kind is HitKind.MESSAGE and _has_cue(one.text[:_READ_CHARS_MAX], tells_of_other, False)


def value_test(speakers: Iterable[str | None], analysis: QueryAnalysis) -> Callable[[Candidate], bool]:
    """Return a function that tells whether a candidate holds a value of the kind asked for; without a kind, all do.

    Args:
        speakers: names of speakers, which are no answer.
    """
    kind = analysis.value_kind
    if kind is None:
        return lambda _: True
    parts = {part for name in set(speakers) if name for part in name.casefold().split()}
    known = frozenset(analysis.capitalized | parts)
    of_somebody = kind in (ValueKind.NAME, ValueKind.PERSON)
    return lambda one: (
        (of_somebody and _is_of_unknown(one, known)) or holds_value(one.text[:_READ_CHARS_MAX], kind, known)
    )


def _is_of_unknown(one: Candidate, known: Collection[str]) -> bool:
    """Return whether a fact is a statement about somebody whose name is not known: "Luca is Marcus's son"."""
    if one.kind is not HitKind.FACT:
        return False
    first = next((end for end in (one.subject, one.object) if end and one.text.startswith(end)), None)
    return first is not None and not first[0].islower() and not any(word in known for word in first.casefold().split())


def _positions_in_time(candidates: Sequence[Candidate]) -> Floats:
    """Return the position of each candidate's day among all days, from 0 (the first) to 1 (the last)."""
    days = [one.said_at.astimezone(UTC).date() for one in candidates]
    places = {day: place for place, day in enumerate(sorted(set(days)))}
    return _column(places[day] for day in days) / max(len(places) - 1, 1)


def _column(values: Iterable[float]) -> Floats:
    return np.fromiter(values, np.float64)


def _said_by(candidates: Sequence[Candidate], speaker: str | None) -> Floats:
    """Return 1 for messages of the speaker and for facts about the speaker, else 0."""
    if speaker is None:
        return np.zeros(len(candidates))
    names = {name for one in candidates for name in (one.speaker, one.subject) if name}
    spellings = {name for name in names if name_key(name) == speaker}
    return _column(one.speaker in spellings or one.subject in spellings for one in candidates)


def in_time(candidate: Candidate, analysis: QueryAnalysis) -> float:
    """Return how well a candidate fits the time that a question names, 0 to 1; 0 if it names none.

    It is 1 for one that is about a time that overlaps it, or was said then and names no other time. "Yesterday I ran a
    marathon" is about the day before, so it counts half for "what did I do" on the day on which it was said.
    """
    asked, axis = analysis.time or analysis.event_time, analysis.time_axis
    if asked is None:
        return 0.0
    times = _times_of(candidate) if axis is not TimeAxis.SAID else ()
    if candidate.mentioned_start is not None:
        times = (*times, Timespan(start=candidate.mentioned_start, end=candidate.mentioned_end))
    if axis is not TimeAxis.SAID and (_HAPPENED in candidate.scores or any(_overlap(span, asked) for span in times)):
        return 1.0
    if axis is TimeAxis.HAPPENED or not _within_a_day(asked).contains(candidate.said_at):
        return 0.0
    return _SAID_OF_OTHER_TIME if times and analysis.only_time and axis is not TimeAxis.SAID else 1.0


def _within_a_day(asked: Timespan) -> Timespan:
    """Return the time asked for; if shorter than a day, all moments less than a day from its ends."""
    if (
        asked.start is None
        or asked.end is None
        or (more := timedelta(days=1) - (asked.end - asked.start)) <= timedelta()
    ):
        return asked
    return Timespan(start=asked.start - more, end=asked.end + more)


def _times_of(candidate: Candidate) -> tuple[Timespan, ...]:
    return _times(candidate.text[:_READ_CHARS_MAX], candidate.said_at)


@cached_by_chars(chars_max=_CACHED_CHARS, entries_max=_CACHED_TEXTS)
def _times(text: str, said_at: datetime) -> tuple[Timespan, ...]:
    # Parsing times is the most expensive feature, and most texts name none.
    if _MAY_NAME_TIME.search(text) is None:
        return ()
    return tuple(found.span for found in spans_in(text, said_at))


def _overlap(one: Timespan, other: Timespan) -> bool:
    """Return whether two times overlap by more than half of the shorter one.

    The times of a text are those of its UTC day, of which some hours belong to the day before or after elsewhere.
    """
    if one.start and one.end and other.start and other.end:
        common = min(one.end, other.end) - max(one.start, other.start)
        return 2 * common > min(one.end - one.start, other.end - other.start)
    begins = one.start is None or other.end is None or one.start < other.end
    return begins and (other.start is None or one.end is None or other.start < one.end)


def _has_number(text: str) -> bool:
    return _NUMBER.search(text) is not None or _DIGIT.search(text) is not None


# Features from the graph: facts two hops away from the entities that the question names


def first_hops(found: CandidateSet) -> dict[int, list[int]]:
    """Map the index of each fact two hops from a named entity to the indexes of the facts on its first hop."""
    leading: dict[str, list[int]] = {}
    for at, one in enumerate(found.candidates):
        for end in one.ends if "entity" in one.scores else ():
            leading.setdefault(end, []).append(at)
    return {
        at: sorted({before for end in one.ends for before in leading.get(end, ())})
        for at, one in enumerate(found.candidates)
        if one.ends and "hop" in one.scores
    }


def _multi_hop(found: CandidateSet, analysis: QueryAnalysis) -> Floats:
    """Return 1 for two-hop facts if the question has an `indirect_target` that begins with no known name, else 0."""
    target = analysis.indirect_target
    is_indirect = target is not None and not any(begins_with(target, key) for key in found.named)
    return _column(is_indirect and "hop" in one.scores for one in found.candidates)


# Values of one attribute


def _share_between_values(
    scaled: Mapping[str, Floats], candidates: Sequence[Candidate], analysis: QueryAnalysis
) -> None:
    """Raise the features of the value that a question asks for to those of other values of the same attribute.

    "Before Porto" matches the home in Porto, but the answer is the home before it; "Who is my supervisor?" may match
    the words about a former supervisor best. A former value is a closed fact, or a message that proves only closed
    facts; its successor is the fact that closed it.
    """
    place = {one.id: at for at, one in enumerate(candidates)}
    closed_by = {at: place[one.overtaken_by] for at, one in enumerate(candidates) if one.overtaken_by in place}
    if not closed_by:
        return
    reference, span = analysis.time_reference, analysis.time
    for values in scaled.values():
        if reference is TimeReference.FORMER:
            own = values.copy()
            for at, successor in closed_by.items():
                values[at] = np.fmax(own[at], own[successor])
        elif reference is TimeReference.DATED:
            for at in closed_by:
                if span is not None and candidates[at].closed and candidates[at].was_valid_in(span):
                    values[at] = np.fmax.reduce(values[[at, *_successors(at, closed_by)]])
        else:
            for at, successor in sorted(closed_by.items(), key=lambda pair: candidates[pair[0]].said_at):
                values[successor] = np.fmax(values[successor], values[at])


def _successors(at: int, closed_by: Mapping[int, int]) -> list[int]:
    """Return the chain of successors of a former value, without repetition."""
    chain = [at]
    while (after := closed_by.get(chain[-1])) is not None and after not in chain[-_CHAIN_MAX:]:
        chain.append(after)
        if len(chain) > _CHAIN_MAX:
            break
    return chain[1:]


# Features of questions about an attribute of a person, of which later values replace earlier ones
#
# "Sold the Tesla, got a VW" is the latest statement about the user's car, and "my sister has a Volvo" is none.
#
# `attribute`: states a value of the attribute asked for. `newest_now`, `newest_dated`: is the user's last statement of
# it that reports a change; for a named time, the last before its end.


def _of_attribute(candidates: Sequence[Candidate], analysis: QueryAnalysis) -> dict[str, Callable[[], Floats]]:
    attribute = analysis.attribute
    if attribute is None:
        return {}
    dated = analysis.time_reference is TimeReference.DATED
    of_user = not analysis.names_others
    end = analysis.time.end if dated and analysis.time else None

    def states(one: Candidate) -> bool:
        return _states(one.text[:_READ_CHARS_MAX], attribute)

    def reports(one: Candidate) -> bool:
        return (
            one.kind is HitKind.MESSAGE
            and one.role == Role.USER
            and states(one)
            and not (of_user and _is_of_other(one))
            and (end is None or one.said_at < end)
            and _has_cue(one.text[:_READ_CHARS_MAX], reports_change, True)
        )

    def newest() -> Floats:
        last = max((one.said_at for one in candidates if reports(one)), default=None)
        return _column(one.said_at == last and states(one) for one in candidates)

    features = {
        "attribute": lambda: _column(map(states, candidates)),
    }
    if analysis.time_reference is TimeReference.FORMER:
        return features
    return {**features, "newest_dated" if dated else "newest_now": newest}


@cached_by_chars(chars_max=_CACHED_CHARS, entries_max=_CACHED_TEXTS)
def _states(text: str, attribute: Attribute) -> bool:
    return states_attribute(text, attribute)
