"""Find the times and event anchors in a question, relative to the moment it is asked. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from enum import StrEnum

from extraction.temporal.direction import Direction, direction_of
from extraction.temporal.expressions import Frame
from extraction.temporal.expressions_by_table import table_of, words_of
from extraction.temporal.intervals import DAY, Unit, shifted, span_read
from extraction.temporal.phrases import phrases_in, plain
from extraction.temporal.relations import Side, TimeRange, time_ranges
from extraction.text.toml_files import patterns_of, toml_of
from schema.timespan import Timespan

_TABLES = toml_of("extraction.temporal", "question_time.toml")
_PATTERNS = patterns_of(_TABLES["patterns"], _TABLES["parts"])

# Event anchors: before the wedding, 搬家以后

ANCHORS_MAX = 4
_SIDES = {
    word: side
    for side, words in (
        (Side.BEFORE, ("before", "prior to", "until", "till", "前")),
        (Side.AFTER, ("after", "following", "后")),
        (Side.SINCE, ("since", "来")),
        (Side.DURING, ("during", "while", "when", "时", "间", "候")),
    )
    for word in words
}
_PRONOUNS = frozenset({"我", "你", "他", "她", "我们", "他们", "她们", "它"})


@dataclass(frozen=True, slots=True, kw_only=True)
class EventAnchor:
    """An event that a question refers to instead of a date.

    Attributes:
        side: before, after, since or during the event.
        words: the words for the event: `question[start:end]`.
    """

    side: Side
    words: str
    start: int
    end: int


def anchors_in(question: str, text: str, taken: Sequence[tuple[int, int]]) -> tuple[EventAnchor, ...]:
    """Return the event anchors of a question in order, at most `ANCHORS_MAX`.

    Args:
        text: the question, normalized by `plain`.
        taken: spans of time phrases, which are not events.
    """
    chinese = (match for match in _PATTERNS["event_zh"].finditer(text) if _PATTERNS["is_event"].search(match["x"]))
    matches = [*_PATTERNS["event_en"].finditer(text), *chinese]
    found = []
    for match in sorted(matches, key=lambda match: match.start()):
        start, end = _trimmed(match)
        place = match.start("w")
        inside = any((a < end and start < b) or a <= place < b for a, b in taken)
        if not inside and end - start > 1 and text[start:end] not in _PRONOUNS:
            side = _SIDES.get(match["w"]) or _SIDES[match["w"][-1]]
            if side is Side.AFTER and match["x"].lstrip().startswith("自"):
                side = Side.SINCE
            found.append(EventAnchor(side=side, words=question[start:end], start=start, end=end))
    return tuple(found[:ANCHORS_MAX])


def _trimmed(match: re.Match[str]) -> tuple[int, int]:
    start, end = match.span("x")
    if match.re is _PATTERNS["event_zh"] and (lead := _PATTERNS["lead"].search(match["x"])):
        start += lead.end()
    words = match.string[start:end]
    return start + len(words) - len(words.lstrip()), end - (len(words) - len(words.rstrip()))


# "A week before the wedding", 婚礼前两周.
_EN, _ZH = words_of("en"), words_of("zh")
_DISTANCE_EN = re.compile(
    _EN.filled(
        r"\b(?:the |about )?{n}(?: of)? (?P<u>day|week|month|year)s? $|\bthe (?P<one>day|night|week|month|year) $"
    )
)
_DISTANCE_ZH = re.compile(_ZH.filled("的?(?:第?(?P<n>{number})个?(?P<u>天|日|周|星期|礼拜|月|年)|(?P<next>第二天))"))
# Days on either side of a distance, by unit.
_MARGIN_DAYS = {Unit.DAY: 0, Unit.WEEK: 3, Unit.MONTH: 15, Unit.YEAR: 183}


def event_range(anchor: EventAnchor, question: str, start: datetime, end: datetime) -> Timespan | None:
    """Return the time that a question means by an event, such as two weeks before it; None outside the calendar.

    Args:
        start, end: when the event is.
    """
    zone = start.tzinfo or UTC
    # Days and months are counted in local time.
    start, end = start.replace(tzinfo=None), end.replace(tzinfo=None)
    back = anchor.side is Side.BEFORE
    if (found := _distance(anchor, plain(question))) is not None and anchor.side in (Side.BEFORE, Side.AFTER):
        count, unit = found
        margin = _MARGIN_DAYS[unit] * DAY
        try:
            middle = shifted(start, unit, -count) if back else shifted(end - DAY, unit, count)
            return span_read(middle - margin, middle + margin + DAY, zone)
        except (ValueError, OverflowError):
            return None
    since = {Side.BEFORE: None, Side.UNTIL: None, Side.AFTER: end}.get(anchor.side, start)
    until = {Side.AFTER: None, Side.SINCE: None, Side.BEFORE: start}.get(anchor.side, end)
    return span_read(since, until, zone)


def _distance(anchor: EventAnchor, text: str) -> tuple[int, Unit] | None:
    """Return the number of units between the event and the time that a question means; None if it names none."""
    before, after = text[: anchor.start], text[anchor.end :]
    word = re.search(r"(?:before|after|prior to|following) (?:the |my |our )?$", before)
    if word and (found := _DISTANCE_EN.search(before[: word.start()][-_NEAR_CHARS:])):
        count = 1 if found["one"] else _EN.count(found["n"])
        return None if count is None else (count, _UNITS_APART[found["one"] or found["u"]])
    side = re.match(r"(?:之|以)?[前后](?:的)?", after)
    if side and (found := _DISTANCE_ZH.match(after, side.end())):
        return (1, Unit.DAY) if found["next"] else (_ZH.number(found["n"]), _ZH.units[found["u"]])
    return None


_UNITS_APART = {**_EN.units, "night": Unit.DAY}


QUESTION_CHARS_MAX = 2_000


_SENTENCE_END = re.compile(r"[.!?。！？](?=\s|[\u4e00-\u9fff])\s*|\n+")
_SENTENCES_MAX = 3
# Characters before and after a time that are searched for a verb of speaking.
_NEAR_CHARS = 200
_BESIDE_CHARS = 40


class Force(StrEnum):
    """Effect of a question's time on retrieval."""

    # "What did we talk about yesterday?": only messages of that time can answer.
    LIMITS = "limits"
    # "Where did I go last summer?": later messages can answer, too; those about that time rank higher.
    PREFERS = "prefers"


class TimeAxis(StrEnum):
    """The time of a memory that the time in a question refers to.

    SAID for "What did we talk about yesterday?"; HAPPENED for a time that has not come yet, in which nothing was said;
    EITHER for all others: what happened last summer may have been said then or later.
    """

    SAID = "said"
    HAPPENED = "happened"
    EITHER = "either"


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedTime:
    """One time that a question names.

    Attributes:
        span: the time in UTC; open-ended for "since" and "before".
        phrase: `question[start:end]`, including prepositions.
        vague: approximate ("recently"); never a filter.
    """

    span: Timespan
    phrase: str
    start: int
    end: int
    force: Force
    vague: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionTime:
    """Times and event anchors of a question.

    Attributes:
        asked: times, in order.
        anchors: events ("after the wedding").
    """

    asked: tuple[AskedTime, ...] = ()
    anchors: tuple[EventAnchor, ...] = ()

    @property
    def exact_span(self) -> Timespan | None:
        """Span of the times that are not vague, or None."""
        return _hull([asked.span for asked in self.asked if not asked.vague])

    @property
    def limit(self) -> Timespan | None:
        """Span in which the answer must have been said, if the only time in the question is a limit; else None."""
        limits = [asked for asked in self.asked if asked.force is Force.LIMITS]
        return limits[0].span if len(limits) == 1 and len(self.asked) == 1 else None

    def axis(self, reference: datetime) -> TimeAxis:
        """Return which time of a memory the exact times refer to, for a question asked at `reference`."""
        span = self.exact_span
        if self.limit is not None:
            return TimeAxis.SAID
        ahead = span is not None and span.start is not None and span.start > reference
        return TimeAxis.HAPPENED if ahead else TimeAxis.EITHER

    def meets(self, start: datetime, end: datetime) -> bool:
        """Return whether any time overlaps the half-open interval from `start` to `end`."""
        return any(
            (asked.span.start is None or asked.span.start < end) and (asked.span.end is None or start < asked.span.end)
            for asked in self.asked
        )

    def topic_of(self, question: str) -> str:
        """Return the question without its time phrases."""
        for asked in reversed(self.asked):
            question = f"{question[: asked.start]} {question[asked.end :]}"
        return " ".join(question.split())


def _hull(spans: Sequence[Timespan]) -> Timespan | None:
    if not spans:
        return None
    starts, ends = [span.start for span in spans], [span.end for span in spans]
    return Timespan(
        start=None if None in starts else min(start for start in starts if start),
        end=None if None in ends else max(end for end in ends if end),
    )


def time_asked(question: str, reference: datetime) -> QuestionTime:
    """Return the times and event anchors of a question.

    Args:
        reference: when the question is asked, in the time zone of the asker.
    """
    text = plain(question[:QUESTION_CHARS_MAX])
    zone = reference.tzinfo or UTC
    table = table_of(text)
    words = _PATTERNS if table is None else {"future": table.future, "past": table.past, "habit": table.habit}
    future, past, recurs = words["future"], words["past"], words["habit"]
    was = past.search(_PATTERNS["possession"].sub(" ", text)) is not None
    # "¿De qué hablamos el lunes?" may be of either tense.
    was = was or (table is not None and table.speaking.search(text) is not None and not table.future.search(text))
    # In German, Spanish, French and Japanese the present is the tense of what is to come, too.
    frame = Frame(
        now=reference.replace(tzinfo=None), future=not was and (table is not None or future.search(text) is not None)
    )
    habit, asking_from = recurs.search(text) is not None, _asking_from(text)
    phrases = phrases_in(text, frame)
    # "What am I doing in December?"
    ahead = (one.bare and direction_of(text, one.start, one.end) is Direction.FUTURE for one in phrases)
    if not frame.future and not was and any(ahead):
        frame = replace(frame, future=True)
        phrases = phrases_in(text, frame)
    found = time_ranges(text, phrases, frame)
    kept = [item for item in found if not (habit and item.bare) and item.start >= asking_from]
    # "What has she watched recently, on 7 February": the exact day replaces "recently".
    exact = [item for item in kept if not item.vague] or kept
    asked = [made for item in exact if (made := _asked_time(question, text, item, zone))]
    return QuestionTime(
        asked=tuple(asked), anchors=anchors_in(question, text, [(item.start, item.end) for item in asked])
    )


def _asking_from(text: str) -> int:
    """Return the offset of the last question in a long text; the text before it does not ask for a time."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text) if match.end() < len(text)]
    starts = [0, *ends]
    if len(starts) <= _SENTENCES_MAX:
        return 0
    spans = zip(starts, [*ends, len(text)], strict=True)
    asking = [start for start, end in spans if _PATTERNS["asks"].search(text, start, end)]
    return asking[-1] if asking else starts[-1]


def _asked_time(question: str, text: str, item: TimeRange, zone: tzinfo) -> AskedTime | None:
    span = span_read(item.since, item.until, zone)
    if span is None:
        return None
    before, after_end = text[max(item.start - _NEAR_CHARS, 0) : item.start], item.end + _NEAR_CHARS
    table = table_of(text)
    about_speech = not item.vague and (
        (
            table is not None
            and table.speaking.search(text, max(item.start - _BESIDE_CHARS, 0), item.end + _BESIDE_CHARS)
        )
        or _PATTERNS["speaking_before"].search(before)
        or _PATTERNS["speaking_after"].match(text, item.end, after_end)
        or _PATTERNS["speaking_zh"].match(text, item.end, after_end)
    )
    return AskedTime(
        span=span,
        phrase=question[item.start : item.end],
        start=item.start,
        end=item.end,
        force=Force.LIMITS if about_speech else Force.PREFERS,
        vague=item.vague,
    )
