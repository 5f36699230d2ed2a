"""Apply the temporal relations around a time phrase: before, since, between, two weeks before. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from extraction.temporal.expressions import Frame, Mark, Rank, resolve
from extraction.temporal.expressions_by_table import words_of
from extraction.temporal.intervals import DAY, Interval, Unit, around, shifted, weekend
from extraction.temporal.phrases import Phrase
from extraction.text.toml_files import patterns_of, toml_of


class Side(StrEnum):
    """Relation of the time asked about to the time named."""

    DURING = "during"
    BEFORE = "before"
    AFTER = "after"
    SINCE = "since"
    UNTIL = "until"
    AROUND = "around"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRange:
    """An interval that may be open-ended, and its span in the text with prepositions.

    Attributes:
        joined: from one time to another.
    """

    since: datetime | None
    until: datetime | None
    start: int
    end: int
    bare: bool
    vague: bool
    joined: bool = False


_REACH_CHARS = 40
_TABLES = toml_of("extraction.temporal", "relations.toml")
_PATTERNS = patterns_of(_TABLES["relations"], {})
_PREFIX = re.compile(
    r"(?:^|(?<=[^a-z]))(?:"
    + "|".join(f"(?P<{side}>{words})" for side, words in _TABLES["sides"].items())
    + r")\s+(?:(?:the|de[mnr]|el|la|las|le)\s+)?$"
)
_EN, _ZH = words_of("en"), words_of("zh")
_AWAY_EN = re.compile(
    _EN.filled(
        r"(?:^|(?<=[^a-z]))(?:the |{n}(?: of)? |last |on the )?"
        r"(?:(?P<unit>day|night|week|month|quarter|year)s?|(?P<we>weekend)|{dayname}) "
        r"(?P<w>before|after|prior to|following|preceding)\s+(?:the\s+)?$"
    )
)
_AWAY_ZH = re.compile(
    _ZH.filled(
        "的?(?:(?P<w>之前|之后|前|后)的?(?P<th>第)?{n}个?(?P<unit>天|日|周|星期|礼拜|月|年)(?![前后])|(?P<next>第二天))"
    )
)
_FEW = 3


def time_ranges(text: str, phrases: Sequence[Phrase], frame: Frame) -> list[TimeRange]:
    """Return the intervals of time phrases with the relations around them applied, in order."""
    found: list[TimeRange] = []
    i = 0
    while i < len(phrases):
        both = _range(text, phrases[i], phrases[i + 1], frame) if i + 1 < len(phrases) else None
        if both is not None:
            found.append(both)
            i += 2
            continue
        i += 1
        new = _related(text, phrases[i - 1])
        if new is None:
            continue
        # "Last weekend before 10 April": drop "last weekend", which was read as a phrase of its own.
        found = [other for other in found if other.end <= new.start]
        found.append(new)
    return _with_joined_ends(text, found)


def _related(text: str, phrase: Phrase) -> TimeRange | None:
    """Return the time range that a phrase and the words around it name; None outside the calendar."""
    try:
        return _away(text, phrase) or _with_preposition(text, phrase)
    except (ValueError, OverflowError):
        return None


def _range(text: str, first: Phrase, last: Phrase, frame: Frame) -> TimeRange | None:
    """Read "from X to Y", "between X and Y", X 到 Y, X 和 Y 之间."""
    before, after = _before(text, first.start), _PATTERNS["between_after_zh"].match(text, last.end)
    opening = _PATTERNS["between"].search(before) or _PATTERNS["between_zh"].search(before)
    to = _PATTERNS["to"].fullmatch(text, first.end, last.start)
    named = _PATTERNS["and"].fullmatch(text, first.end, last.start) and (
        after or (opening and opening.re is _PATTERNS["between"] and opening["w"])
    )
    if not to and not named:
        return None
    one, other = _complete_ends(first, last, frame)
    if other.end <= one.start:
        later = resolve(last.marks, Frame(now=one.start, future=True))
        if later is None or later.end <= one.start:
            return None
        other = later
    return TimeRange(
        since=one.start,
        until=other.end,
        start=opening.start() + first.start - len(before) if opening else first.start - _lead_chars(before),
        end=after.end() if after else _tail_end(text, last.end),
        bare=first.bare and last.bare,
        vague=first.vague or last.vague,
        joined=True,
    )


def _complete_ends(first: Phrase, last: Phrase, frame: Frame) -> tuple[Interval, Interval]:
    """Return the intervals of both ends, one completed by coarser marks of the other.

    In "from May to June 2023" the year applies to both.
    """
    one, other = first.interval, last.interval
    lent = _coarser(first.marks, than=last.marks)
    if lent:
        other = resolve((*lent, *last.marks), frame) or other
    elif lent := _coarser(last.marks, than=first.marks):
        one = resolve((*lent, *first.marks), frame) or one
    return one, other


def _coarser(lender: Sequence[Mark], *, than: Sequence[Mark]) -> list[Mark]:
    if not all(mark.bare for mark in than):
        return []
    finest = min(mark.rank for mark in than)
    return [mark for mark in lender if mark.rank < finest and mark.rank is not Rank.EDGE]


def _before(text: str, start: int) -> str:
    return text[max(start - _REACH_CHARS, 0) : start]


def _lead_chars(before: str) -> int:
    """Return the length of a preposition with article directly before a phrase."""
    lead = _PATTERNS["lead"].search(before)
    return len(lead[0]) if lead else 0


def _tail_end(text: str, end: int) -> int:
    """Return the offset after 那天 or 的时候 if it follows a phrase, else the end of the phrase."""
    tail = _PATTERNS["tail_zh"].match(text, end) if end < len(text) and text[end] >= "\u4e00" else None
    return tail.end() if tail else end


def _away(text: str, phrase: Phrase) -> TimeRange | None:
    """Read "two weeks before X", "the Friday after X", X 前一天, X 后第三天."""
    before = _before(text, phrase.start)
    if after := _AWAY_ZH.match(text, _tail_end(text, phrase.end)):
        return _closed(_away_zh(after, phrase.interval), phrase, phrase.start - _lead_chars(before), after.end())
    if match := _AWAY_EN.search(before):
        return _closed(_away_en(match, phrase.interval), phrase, phrase.start - len(match[0]), phrase.end)
    return None


def _closed(interval: Interval, phrase: Phrase, start: int, end: int) -> TimeRange:
    return TimeRange(
        since=interval.start, until=interval.end, start=start, end=end, bare=phrase.bare, vague=phrase.vague
    )


def _away_en(match: re.Match[str], named: Interval) -> Interval:
    back = match["w"] in ("before", "prior to", "preceding")
    if match["we"]:
        near = weekend(named.start - 7 * DAY) if back else weekend(named.end)
        later = weekend(named.start)
        return later if back and later.end <= named.start else near
    if match["weekday"]:
        number = _EN.weekdays[match["weekday"]]
        day_away = (named.start.weekday() - number - 1) % 7 + 1 if back else -((number - named.end.weekday()) % 7)
        first = (named.start if back else named.end) - day_away * DAY
        return Interval(first, first + DAY)
    unit = Unit.DAY if match["unit"] == "night" else _EN.units[match["unit"]]
    count = _EN.count(match["n"]) or _FEW if match["n"] else None
    if count is None or unit is Unit.DAY:
        return _beyond(named, unit, count or 1, back=back, single=unit is Unit.DAY)
    middle = shifted(named.start if back else named.end - DAY, unit, -count if back else count)
    margin = {Unit.WEEK: 3, Unit.MONTH: 15}.get(unit, 183)
    return Interval(middle - margin * DAY, middle + (margin + 1) * DAY)


def _away_zh(match: re.Match[str], named: Interval) -> Interval:
    if match["next"]:
        return Interval(named.start + DAY, named.start + 2 * DAY)
    unit, count = _ZH.units[match["unit"]], _ZH.count(match["n"]) or _FEW
    return _beyond(named, unit, count, back=match["w"].endswith("前"), single=bool(match["th"]))


def _beyond(named: Interval, unit: Unit, count: int, *, back: bool, single: bool) -> Interval:
    """Return the `count` units directly before or after an interval; only the farthest one if `single`."""
    if back:
        first = shifted(named.start, unit, -count)
        return Interval(first, first + DAY if single else named.start)
    if single:
        first = shifted(named.end, unit, count - 1)
        return Interval(first, shifted(first, unit, 1))
    return Interval(named.end, shifted(named.end, unit, count))


def _with_preposition(text: str, phrase: Phrase) -> TimeRange:
    """Read "before X", "since X", "around X", X 之前, X 以来, or X itself."""
    before = _before(text, phrase.start)
    side, start, end = Side.DURING, phrase.start - _lead_chars(before), _tail_end(text, phrase.end)
    if match := _PREFIX.search(before) or _PATTERNS["prefix_zh"].search(before):
        side, start = Side(match.lastgroup or Side.DURING), phrase.start - len(match[0])
    elif onwards := _PATTERNS["onwards_en"].match(text, phrase.end):
        side, end = Side.SINCE, onwards.end()
    if suffix := _PATTERNS["suffix_zh"].match(text, end):
        side, end = Side("after" if suffix.lastgroup == "later" else suffix.lastgroup or side), suffix.end()
    named = around(phrase.interval) if side is Side.AROUND else phrase.interval
    since = {Side.BEFORE: None, Side.UNTIL: None, Side.AFTER: named.end}.get(side, named.start)
    until = {Side.AFTER: None, Side.SINCE: None, Side.BEFORE: named.start}.get(side, named.end)
    vague = phrase.vague or side is Side.AROUND
    return TimeRange(since=since, until=until, start=start, end=end, bare=phrase.bare, vague=vague)


def _with_joined_ends(text: str, found: Sequence[TimeRange]) -> list[TimeRange]:
    """Join two open-ended intervals into one: "after March and before June"."""
    ranges: list[TimeRange] = []
    for new in found:
        joined = _joined_ends(text, ranges[-1], new) if ranges else None
        if joined:
            ranges[-1] = joined
        else:
            ranges.append(new)
    return ranges


def _joined_ends(text: str, one: TimeRange, other: TimeRange) -> TimeRange | None:
    since, until = (one.since, other.until) if one.until is None else (other.since, one.until)
    opposite = (one.until is None and other.since is None) or (one.since is None and other.until is None)
    near = re.fullmatch(r"\s*(?:,|and|but|，|、|到|而)?\s*(?:but\s+)?", text[one.end : other.start])
    if not opposite or not near or since is None or until is None or since >= until:
        return None
    return replace(one, since=since, until=until, end=other.end, bare=one.bare and other.bare)
