"""What speaks for each candidate: raw signals by name, one number for each. Pure.

Source: retrieval.md, the list of signals; what each is worth is in `weights`.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from typing import Final

import numpy as np

from extraction.embeddings.late_interaction import piece_matches, weighted, words_of_name
from extraction.query_analysis import QueryAnalysis, begins_with
from extraction.temporal.phrases import spans_in
from extraction.text.search_terms import Terms, terms_of
from graph_service.memory.recall.candidates import Candidate, CandidateSet, MessageInContext
from graph_service.memory.recall.lexical_scores import (
    Floats,
    Lexical,
    best_around,
    best_of_windows,
    bm25_of,
    bounds,
    lexical,
    specificity,
    stretches,
)
from graph_service.memory.recall.query import HitKind
from schema.ids import name_key
from schema.kept_results import kept_by_chars
from schema.timespan import Timespan

# How near each thing found is to what the question names, along what ties them: a walk that restarts there. Pure.
#
# Source: Page et al. 1999, personalised PageRank; Gutiérrez et al. 2024, HippoRAG, which restarts it at what is named.

_RESTART: Final = 0.3
# What is left of a mistake after so many steps: 0.7 to the power of 12, about a hundredth.
_STEPS: Final = 12
# Where the walk begins: beside everything that mentions or concerns what is named.
_NAMED: Final = 0


def closeness(found: CandidateSet) -> Floats:
    """For each candidate 0…1, the nearest has 1; all 0 when the question names nothing that is tied to anything.

    A fact is tied to its subject, its object and the messages that prove it, a message to the next of its session. The
    user and the agent are left out: through them everything is tied to everything.
    """
    candidates = found.candidates
    none = np.zeros(len(candidates))
    named = [at for at, one in enumerate(candidates, start=1) if "entity" in one.scores]
    if not named:
        return none
    places = {(one.kind, one.id): at for at, one in enumerate(candidates, start=1)}
    ties = [(_NAMED, at) for at in named]
    ties += [*_of_facts(found, places), *_of_talks(found, places)]
    nodes_n = max(max(pair) for pair in ties) + 1
    one_way = np.array(ties, np.intp).T
    here, there = np.concatenate([one_way, one_way[::-1]], axis=1)
    share = 1.0 / np.bincount(here, minlength=nodes_n)[here]
    start = np.zeros(nodes_n)
    start[_NAMED] = 1.0
    stands = start
    for _ in range(_STEPS):
        stands = _RESTART * start + (1.0 - _RESTART) * np.bincount(there, stands[here] * share, minlength=nodes_n)
    near = np.concatenate([stands, none])[1 : len(candidates) + 1]
    closest = near.max(initial=0.0)
    return near / closest if closest > 0 else none


def ways_to(found: CandidateSet) -> dict[int, list[int]]:
    """For each fact two steps from what is named, by its place, the places of the facts that lead to it."""
    leading: dict[str, list[int]] = {}
    for at, one in enumerate(found.candidates):
        for end in one.ends if "entity" in one.scores else ():
            leading.setdefault(end, []).append(at)
    return {
        at: sorted({before for end in one.ends for before in leading.get(end, ())})
        for at, one in enumerate(found.candidates)
        if one.ends and "hop" in one.scores
    }


def _of_facts(found: CandidateSet, places: Mapping[tuple[HitKind, str], int]) -> Iterator[tuple[int, int]]:
    beings: dict[str, int] = {}
    for fact in (one for one in found.candidates if one.kind is HitKind.FACT):
        at = places[HitKind.FACT, fact.id]
        for end in fact.ends:
            yield at, beings.setdefault(end, len(found.candidates) + 1 + len(beings))
        for proof in fact.proofs:
            if (told := places.get((HitKind.MESSAGE, proof))) is not None:
                yield at, told


def _of_talks(found: CandidateSet, places: Mapping[tuple[HitKind, str], int]) -> Iterator[tuple[int, int]]:
    for before, line in zip(found.lines, found.lines[1:], strict=False):
        here, there = places.get((HitKind.MESSAGE, before.id)), places.get((HitKind.MESSAGE, line.id))
        if before.session == line.session and here is not None and there is not None:
            yield here, there


WINDOW: Final = 6
_RADIUS: Final = 2
_RECENCY_HALF_LIFE_DAYS: Final = 180.0
_DAY_S: Final = 86_400
_QUESTION_ENDS: Final = ("?", "？")
_NUMBER: Final = re.compile(
    r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|dozen|several|couple|once|twice)\b|[一二两三四五六七八九十几]+[个次年天月只条件]",
    re.IGNORECASE,
)
# Every way to name a time that `spans_in` knows holds one of these.
_MAY_TELL_TIME: Final = re.compile(
    r"\d|day|week|month|year|night|morning|afternoon|evening|tomorrow|"
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|[年月日天周号晚早]|星期|礼拜",
    re.IGNORECASE,
)
# Where a text tells when, it tells so early; more is not looked through, since a recall ranks two hundred texts.
_TIMES_CHARS_MAX: Final = 4_000
_TEXTS_KEPT: Final = 8_192
_CHARS_KEPT: Final = 4_000_000
_DIGIT: Final = re.compile(r"\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """Raw signals of all candidates, in their order.

    Attributes:
        scaled: signals whose size tells nothing by itself (BM25, cosines): they count relative to the other candidates.
            NaN where a candidate cannot have one.
        plain: signals between 0 and 1 that count as they are.
    """

    scaled: Mapping[str, Floats]
    plain: Mapping[str, Floats]


def signals(found: CandidateSet, asked: QueryAnalysis, *, now: datetime) -> Signals:
    """Return the signals of everything found."""
    speaker = speaker_asked(found.lines, asked)
    terms = _topic(asked, speaker)
    sessions = stretches([line.session for line in found.lines], [line.said_at for line in found.lines])
    words = lexical(terms, [line.text for line in found.lines], sessions, window=WINDOW)
    table = {**_of_lines(found.lines, sessions, words), **_of_tokens(found.lines, sessions, asked, speaker)}
    scaled = _scaled(found, table, _words_of_knowledge(found.candidates, terms, words))
    questions = {line.id for line in found.lines if line.text.rstrip().endswith(_QUESTION_ENDS)}
    answers = {
        line.id
        for before, line in zip(found.lines, found.lines[1:], strict=False)
        if before.id in questions and before.session == line.session
    }
    plain = _plain(found.candidates, asked, speaker, questions, answers, now)
    beyond = _beyond(found, asked)
    if beyond.any():
        _read_along(scaled, ways_to(found))
    return Signals(scaled=scaled, plain={**plain, "graph": closeness(found), "beyond": beyond})


def speaker_asked(lines: Sequence[MessageInContext], asked: QueryAnalysis) -> str | None:
    """Return the key of the speaker whom the question names, if it names exactly one of those who speak.

    Source: retrieval.md, "speaker: 1 if the question names exactly one speaker and the message is theirs".
    """
    named = {name_key(name) for name in {line.speaker for line in lines} if name} & asked.name_keys
    return named.pop() if len(named) == 1 else None


def _topic(asked: QueryAnalysis, speaker: str | None) -> Terms:
    """Return the terms without the name of the speaker asked for, which is a filter and no topic."""
    if speaker is None:
        return asked.terms
    rest = asked.terms.without(terms_of(speaker).stems, speaker)
    return rest if len(rest) else asked.terms


def _of_lines(lines: Sequence[MessageInContext], sessions: Sequence[str], words: Lexical) -> dict[str, Floats]:
    first, end = bounds(sessions)
    cosines = np.array([np.nan if line.cosine is None else line.cosine for line in lines], np.float64)
    known = np.where(np.isnan(cosines), 0.0, cosines)
    total = np.concatenate([[0.0], np.cumsum(known)])
    places = np.arange(len(lines))
    ends = np.minimum(places + WINDOW, end)
    means = (total[ends] - total[places]) / np.maximum(ends - places, 1)
    means = np.where((ends - places == WINDOW) | (places == first), means, -1.0)
    return {
        "words": words.own,
        "words_before": words.before,
        "words_near": words.near,
        "meaning": cosines,
        "meaning_near": best_of_windows(means, first, WINDOW),
        # What proves nothing that was found is neither lifted nor lowered.
        "told": np.array([np.nan if line.told is None else line.told for line in lines], np.float64),
        "specific": specificity([line.text for line in lines]),
        "length": np.array([math.log1p(len(line.text)) for line in lines], np.float64),
    }


def _of_tokens(
    lines: Sequence[MessageInContext], sessions: Sequence[str], asked: QueryAnalysis, speaker: str | None
) -> dict[str, Floats]:
    """Return how well each message, alone and with its neighbours, meets the pieces of the question, if there are
    pieces.
    """
    if asked.tokens is None:
        return {}
    if not lines:
        # What else was found stands in for itself.
        return {"tokens": np.zeros(0), "tokens_near": np.zeros(0)}
    question = asked.tokens if speaker is None else asked.tokens.without(words_of_name(speaker))
    first, end = bounds(sessions)
    matches = piece_matches(question, [line.tokens for line in lines]).astype(np.float64)
    around = best_around(matches, first, end, _RADIUS)
    return {
        "tokens": weighted(question, matches.astype(np.float32)).astype(np.float64),
        "tokens_near": weighted(question, around.astype(np.float32)).astype(np.float64),
    }


def _scaled(found: CandidateSet, table: Mapping[str, Floats], words: Mapping[int, float]) -> dict[str, Floats]:
    """Return the signals of lines, by candidate; a fact takes over the best of the messages that prove it.

    Args:
        words: of scenes and facts by their places, what their own words are worth.
    """
    place = {line.id: at for at, line in enumerate(found.lines)}
    lines = np.array([*table.values()], np.float64).reshape(len(table), len(found.lines))
    scaled = np.full((len(table), len(found.candidates)), np.nan)
    messages = [at for at, one in enumerate(found.candidates) if one.kind is HitKind.MESSAGE]
    scaled[:, messages] = lines[:, [place[found.candidates[at].id] for at in messages]]
    by_name = dict(zip(table, scaled, strict=True))
    for at, own in words.items():
        candidate = found.candidates[at]
        if proofs := [place[proof] for proof in candidate.proofs if proof in place]:
            scaled[:, at] = lines[:, proofs].max(axis=1)
        # What long and short messages are worth tells nothing of a statement or a summary.
        by_name["length"][at] = np.nan
        by_name["words"][at] = own
        if candidate.cosine is not None:
            by_name["meaning"][at] = candidate.cosine
            if candidate.kind is HitKind.FACT:
                by_name["told"][at] = candidate.cosine
    for name in {"tokens", "tokens_near"} & by_name.keys():
        by_name[name] = _stood_in(by_name[name], by_name["meaning"])
    return by_name


def _stood_in(values: Floats, meaning: Floats) -> Floats:
    """Return a signal with what has none of its own put as far from the others as its meaning is from theirs.

    Scenes and facts have a vector but none of their pieces: what is near must not count like the mean message.
    """
    both = ~np.isnan(values) & ~np.isnan(meaning)
    missing = np.isnan(values) & ~np.isnan(meaning)
    if not missing.any():
        return values
    # Without any to compare with, they are compared with each other.
    near, of = (meaning[both], values[both]) if both.sum() > 1 else (meaning[missing], meaning[missing])
    steps = (meaning - near.mean()) / (float(near.std()) or 1.0)
    return np.where(missing, of.mean() + steps * of.std(), values)


def _words_of_knowledge(candidates: Sequence[Candidate], terms: Terms, words: Lexical) -> dict[int, float]:
    """Return how well scenes and facts say the words of the question, by their places."""
    places = [at for at, one in enumerate(candidates) if one.kind is not HitKind.MESSAGE]
    scores = bm25_of([_shown_text(candidates[at]) for at in places], terms, words)
    return dict(zip(places, scores.tolist(), strict=True))


def _shown_text(candidate: Candidate) -> str:
    return f"{candidate.title} {candidate.text}" if candidate.title else candidate.text


def _plain(
    candidates: Sequence[Candidate],
    asked: QueryAnalysis,
    speaker: str | None,
    questions: set[str],
    answers: set[str],
    now: datetime,
) -> dict[str, Floats]:
    entity = _column(one.scores.get("entity", 0.0) for one in candidates)
    ages_s = np.maximum(_column((now - one.said_at).total_seconds() for one in candidates), 0.0)
    when, number, span = asked.wants_time, asked.wants_number, asked.time
    return {
        "names": entity / (entity.max(initial=0.0) or 1.0),
        "speaker": _said_by(candidates, speaker),
        "time": _column(span is not None and _in_time(one, span) for one in candidates),
        "says": _column(one.id not in questions for one in candidates),
        "answers": _column(one.id in answers for one in candidates),
        "tells_when": _column(when and bool(_times_of(one)) for one in candidates),
        "tells_number": _column(number and _has_number(one.text) for one in candidates),
        "role": _column(one.kind is HitKind.MESSAGE and one.role == asked.role for one in candidates),
        "certainty": _column(one.confidence or 0.0 for one in candidates),
        "importance": _column((one.importance or 5) / 10 for one in candidates),
        "recency": np.exp(-math.log(2) / _RECENCY_HALF_LIFE_DAYS / _DAY_S * ages_s),
    }


def _beyond(found: CandidateSet, asked: QueryAnalysis) -> Floats:
    """1 for what is two facts away, if the question is about what belongs to what is named and has no name itself."""
    wanted = asked.beyond is not None and not any(begins_with(asked.beyond, key) for key in found.named)
    return _column(wanted and "hop" in one.scores for one in found.candidates)


def _read_along(scaled: Mapping[str, Floats], ways: Mapping[int, Sequence[int]]) -> None:
    """What is two facts away answers together with the facts that lead to it: it has the best of their words, too."""
    for values in scaled.values():
        for at, before in ways.items():
            values[at] = np.fmax.reduce(values[[at, *before]])


def _column(values: Iterable[float]) -> Floats:
    return np.fromiter(values, np.float64)


def _said_by(candidates: Sequence[Candidate], speaker: str | None) -> Floats:
    """1 for what the speaker asked for said, or what is said of them."""
    if speaker is None:
        return np.zeros(len(candidates))
    names = {name for one in candidates for name in (one.speaker, one.subject) if name}
    theirs = {name for name in names if name_key(name) == speaker}
    return _column(one.speaker in theirs or one.subject in theirs for one in candidates)


def _in_time(candidate: Candidate, asked: Timespan) -> bool:
    """Return whether it was said, or names a time, within the time asked for."""
    day = datetime.combine(candidate.said_at.astimezone(UTC).date(), time(), UTC)
    if _meet(Timespan(start=day, end=day + timedelta(days=1)), asked):
        return True
    return any(_meet(span, asked) for span in _times_of(candidate))


def _times_of(candidate: Candidate) -> tuple[Timespan, ...]:
    return _times(candidate.text[:_TIMES_CHARS_MAX], candidate.said_at)


@kept_by_chars(chars_max=_CHARS_KEPT, entries_max=_TEXTS_KEPT)
def _times(text: str, said_at: datetime) -> tuple[Timespan, ...]:
    # Looking for times is the dearest thing here, and most texts name none.
    if _MAY_TELL_TIME.search(text) is None:
        return ()
    return tuple(found.span for found in spans_in(text, said_at))


def _meet(one: Timespan, other: Timespan) -> bool:
    begins = one.start is None or other.end is None or one.start < other.end
    return begins and (other.start is None or one.end is None or other.start < one.end)


def _has_number(text: str) -> bool:
    return _NUMBER.search(text) is not None or _DIGIT.search(text) is not None
