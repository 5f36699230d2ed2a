"""Read when a home, a job or another fact began and ended, as its clause says. Pure.

"I lived in Porto from 2018 to 2021" tells a whole period, "I quit last month" and "I worked there until March" an end,
"I'm leaving Acme in June" one that is still to come. Without such words the fact begins, or ends, when it was said.
Homes, jobs, numbers and things of a bounded time, as in "I'm staying in Graz tonight", 这几天我住在姐姐家 or "a hire
car until Friday", end no other one, so they are no facts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final, NamedTuple

from extraction.rules.drafts import Draft
from extraction.temporal.expressions import Frame
from extraction.temporal.intervals import span_read, year
from extraction.temporal.phrases import TimeMatch, phrases_in, plain, spans_in
from extraction.temporal.relations import time_ranges
from extraction.text.sentences import has_cjk
from extraction.text.toml_files import patterns_of, toml_of
from schema.timespan import Timespan

# Lasting states, which begin and end on a day.
DATED: Final = frozenset({"lives in", "works at", "works as", "studies at", "married to"})
_SECOND: Final = timedelta(seconds=1)

# Clauses and their times

_TABLES: Final = toml_of("extraction.rules", "valid_times.toml")
_PATTERNS: Final = patterns_of(_TABLES["patterns"], _TABLES["parts"])
_TIME_WORDS_MAX: Final = 14


@dataclass(frozen=True, slots=True)
class TimedText:
    """A sentence, or a clause of it, with the times that it names.

    Attributes:
        before: the sentence before the clause.
    """

    text: str
    times: Sequence[TimeMatch]
    said_at: datetime
    before: str = ""

    def clause_at(self, place: int) -> "TimedText":
        """Return the clause around a place, with a time that opens the sentence: "In 2019, I lived in Graz"."""
        joined = [
            (a.start, b.end) for a, b in pairwise(self.times) if _PATTERNS["to"].fullmatch(self.text, a.end, b.start)
        ]
        ends = [
            match.end()
            for match in _PATTERNS["clause_end"].finditer(self.text)
            if not any(start < match.end() < end for start, end in joined)
        ]
        cuts = [0]
        for start, end in pairwise([*ends, len(self.text)]):
            if not _PATTERNS["completes"].match(self.text, start) or self._times(start, end):
                cuts.append(start)
        start = max(cut for cut in cuts if cut <= max(place, 0))
        end = min((cut for cut in cuts if cut > start), default=len(self.text))
        opening = self._times(0, start)
        if opening and start - sum(one.end - one.start for one in opening) <= _TIME_WORDS_MAX:
            start = 0
        times = [replace(one, start=one.start - start, end=one.end - start) for one in self._times(start, end)]
        return TimedText(self.text[start:end], times, self.said_at, self.text[:start])

    def _times(self, start: int, end: int) -> list[TimeMatch]:
        return [one for one in self.times if start <= one.start < end]


def timed(text: str, said_at: datetime) -> TimedText:
    """Return a sentence with its times, the years of "2018-2021" too, of which one alone may be a number.

    Args:
        said_at: time of the message, in its zone.
    """
    times, years = spans_in(text, said_at), _PATTERNS["years"].search(text)
    if years is None or sum(years.start() < one.end <= years.end() for one in times) > 1:
        return TimedText(text, times, said_at)
    times = []
    for group in (1, 2):
        whole, (start, end) = year(int(years[group])), years.span(group)
        if span := span_read(whole.start, whole.end, said_at.tzinfo or UTC):
            times.append(TimeMatch(span=span, start=start, end=end + text.startswith("年", end)))
    return TimedText(text, times, said_at)


# Stays

# A longer time that a clause names, as in "this year we live in Oslo", bounds no home.
_STAY_MAX: Final = timedelta(days=100)
# Numbers, things, diets and duties for a time: "until Saturday you'd get me on 555 0199", 借了室友的电脑.
_FOR_A_TIME: Final = frozenset({"phone number", "email", "has", "drives", "works as", "teaches", "is"})


def is_temporary(draft: Draft, clause: TimedText) -> bool:
    """Return whether a fact is a home, a workplace, a number or a thing for a bounded time, or ends for a repair."""
    sentence = clause.before + clause.text
    if draft.relation in _FOR_A_TIME:
        cue = _PATTERNS["repaired"] if draft.closes else _PATTERNS["loan"]
        return cue.search(sentence) is not None and _PATTERNS["lasting"].search(sentence) is None
    if draft.relation not in ("lives in", "works at"):
        return False
    # 这周末之前我住在爸妈家 is read as a home that has ended.
    if draft.closes and (
        _PATTERNS["ending"].search(clause.text) or not any(_ends_before(clause, one) for one in clause.times)
    ):
        return False
    if _PATTERNS["lasting"].search(_PATTERNS["until_event"].split(clause.text, 1)[0]):
        return False
    # A Chinese clause continues the one before it: 下周出差，住在上海.
    told = sentence if has_cjk(clause.text) else clause.text
    if draft.relation == "works at":
        return _PATTERNS["brief_job"].search(told) is not None or (
            _PATTERNS["site"].search(draft.object) is not None
            and _PATTERNS["until_event"].search(clause.text) is not None
        )
    if _PATTERNS["until_event"].search(clause.text) and any(_is_far(one, clause.said_at) for one in clause.times):
        return False
    return _PATTERNS["stay"].search(told) is not None or any(_is_bounded(clause, one) for one in clause.times)


def _is_far(time: TimeMatch, said_at: datetime) -> bool:
    return time.span.start is not None and time.span.start - said_at > _STAY_MAX


def _is_bounded(clause: TimedText, time: TimeMatch) -> bool:
    """Return whether a time of a few months at most bounds what its clause tells."""
    if time.span.end is None or time.span.start is None or time.span.end - time.span.start > _STAY_MAX:
        return False
    text, (start, end) = clause.text, (time.start, time.end)
    if _PATTERNS["to_here"].search(text, 0, start) or _ends_before(clause, time):
        return True
    begins = _PATTERNS["from"].search(text, 0, start) and not _PATTERNS["to"].match(text, end)
    return not begins and _PATTERNS["live"].search(text) is None


def _ends_before(clause: TimedText, time: TimeMatch) -> bool:
    """Return whether a clause ends before a time that is still to come."""
    is_ahead = time.span.start is not None and time.span.start > clause.said_at
    is_before = _PATTERNS["before"].search(clause.text, 0, time.start) or _PATTERNS["before_zh"].match(
        clause.text, time.end
    )
    return is_ahead and is_before is not None


# Periods

_JOB_LEFT_MIN: Final = timedelta(days=5)
# What began so long ago is not over: "I moved to Porto in May", but perhaps "in 2019".
_RECENT: Final = timedelta(days=366)


class ToldPeriod(NamedTuple):
    """The valid time of a fact; None where the time of the message counts.

    Attributes:
        valid_at: the begin; of a fact that closes, the end.
        valid_by: latest possible `valid_at`, if the text names a range such as a year; of what is so when it is said
            ("since 2019", "I moved here last month") that time, since it contradicts what was said before.
        invalid_at: the end of a fact that does not close.
    """

    valid_at: datetime | None = None
    valid_by: datetime | None = None
    invalid_at: datetime | None = None


NOT_TOLD: Final = ToldPeriod()


def with_told_period(draft: Draft, clause: TimedText) -> tuple[Draft, ToldPeriod]:
    """Return a fact with the valid time that its clause tells.

    A fact whose end is still to come is stated as valid, one whose begin and end are over as former.
    """
    if not draft.closes and draft.relation not in DATED:
        return draft, NOT_TOLD
    said_at = clause.said_at
    begin, begin_by, end, end_by = _told(draft, clause.text, clause.times, said_at)
    if begin is not None and end is not None and end < begin:
        return draft, NOT_TOLD
    if end is None:
        return draft, ToldPeriod(begin, said_at if begin and _is_now(begin, clause) else begin_by)
    if end <= said_at and begin is None and draft.closes:
        return draft, ToldPeriod(end, end_by or end)
    valid = _PATTERNS["no_more"].sub("", draft.statement, count=1)
    if end > said_at:
        return replace(draft, statement=valid, closes=False), ToldPeriod(begin, begin_by, end)
    former = _as_former(valid)
    if begin is None:
        return replace(draft, statement=former, closes=True), ToldPeriod(end, end)
    return replace(draft, statement=former, closes=False), ToldPeriod(begin, begin_by, end)


def _is_now(begin: datetime, clause: TimedText) -> bool:
    """Return whether a clause tells what is so when it is said."""
    text = clause.text
    if _PATTERNS["so_far"].search(text):
        return True
    moved = _PATTERNS["stayed"].search(text) is None or (has_cjk(text) and _PATTERNS["since_zh"].search(text))
    return bool(moved) and clause.said_at - begin <= _RECENT


_Times = tuple[datetime | None, datetime | None, datetime | None, datetime | None]
_NO_TIMES: Final[_Times] = (None, None, None, None)


def _told(draft: Draft, clause: str, spans: Sequence[TimeMatch], said_at: datetime) -> _Times:
    """Return begin and latest begin, end and latest end, as a clause tells them."""
    begin, end = (spans[0].span.start, spans[0].span.end) if spans else (None, None)
    if begin is None or end is None:
        return _NO_TIMES
    first, second = spans[0], spans[1] if len(spans) > 1 else None
    before = clause[: first.start]
    if (
        second is not None
        and second.span.end is not None
        and _PATTERNS["to"].fullmatch(clause, first.end, second.start)
    ):
        times: _Times = begin, end, second.span.end - _SECOND, None
    elif _PATTERNS["until"].search(before):
        times = None, None, end - _SECOND, None
    elif _PATTERNS["before"].search(before) or _PATTERNS["before_zh"].match(clause, first.end):
        times = None, None, begin - _SECOND, None
    elif begin > said_at:
        times = None, None, None if _journey(clause, end - begin) else end - _SECOND, None
    elif draft.closes and (
        draft.relation not in DATED or _PATTERNS["ending"].search(clause) or not _PATTERNS["stayed"].search(clause)
    ):
        times = None, None, begin, min(end, said_at)
    elif draft.closes or (has_cjk(clause) and end <= said_at and not _PATTERNS["since_zh"].search(clause)):
        times = begin, end, min(end - _SECOND, said_at), None
    else:
        times = begin, end, None, None
    if draft.relation in DATED:
        return times if draft.closes or times[0] or _PATTERNS["until"].search(before) else _NO_TIMES
    # "The standup is no longer on Monday" ends on no Monday.
    over = times[2] is not None and times[2] <= said_at and clause[first.start : first.end] not in draft.object
    return (None, None, *times[2:]) if over else _NO_TIMES


def told_without_rules(draft: Draft, clause: TimedText) -> ToldPeriod:
    """Return the valid time that a clause in German, Spanish, French or Japanese tells of a fact.

    "Since 2019" tells a begin, "until May" an end that is still to come, and any past time the end of what has ended.
    """
    if not draft.closes and draft.relation not in DATED:
        return NOT_TOLD
    said_at = clause.said_at
    now, zone = said_at.replace(tzinfo=None), said_at.tzinfo or UTC
    text = plain(clause.text)
    period = _end_told if draft.closes else _period_told
    for ahead in (False, True):
        frame = Frame(now=now, future=ahead)
        for told in time_ranges(text, phrases_in(text, frame), frame):
            span = None if told.vague else span_read(told.since, told.until, zone)
            found = None if span is None else period(span, said_at, joined=told.joined, ahead=ahead)
            if found is not None:
                return found
    return NOT_TOLD


def _end_told(span: Timespan, said_at: datetime, *, joined: bool, ahead: bool) -> ToldPeriod | None:
    """Return when something ended, by a time that is over; None for others."""
    if ahead or span.end is None or (span.start or span.end) > said_at:
        return None
    end = min(span.end - _SECOND, said_at)
    return ToldPeriod(end if joined or span.start is None else span.start, end)


def _period_told(span: Timespan, said_at: datetime, *, joined: bool, ahead: bool) -> ToldPeriod | None:
    """Return the period of something by "since", "until" or both; None for a time that only names a day."""
    if span.end is None:
        begun = span.start is not None and span.start <= said_at
        return ToldPeriod(span.start, said_at) if begun else None
    is_over = span.end <= said_at
    told = joined and not ahead if is_over else joined or span.start is None
    return ToldPeriod(span.start, None, span.end - _SECOND) if told else None


def _journey(text: str, length: timedelta) -> bool:
    """Return whether somebody who leaves at a time of this length may only travel: "I'm leaving Graz on Friday"."""
    return (
        length < _JOB_LEFT_MIN and _PATTERNS["leave"].search(text) is not None and _PATTERNS["job"].search(text) is None
    )


_PAST: Final = {"lives": "lived", "works": "worked", "studies": "studied", "is": "was", "are": "were", "live": "lived"}


def _as_former(statement: str) -> str:
    """Return the statement of a home or job as that of a former one: "Ann lived in Porto", Ann以前住在里昂."""
    return _PATTERNS["present"].sub(lambda found: _PAST.get(found[0], "以前"), statement, count=1)
