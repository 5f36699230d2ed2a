"""English numbers, months, weekdays and parts of the day as patterns for lower-case text. Pure."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from extraction.temporal.expressions import Frame, Mark, Marks, Rank, fixed, recurring, unit_away, weekday, weekend_of
from extraction.temporal.intervals import DAY, Edge, Interval, Unit, day, lately, moved, season, shifted
from extraction.text.lexicon_en import MONTH_NUMBERS, word_set
from extraction.text.stop_words import ENGLISH_BM25
from extraction.text.toml_files import toml_of

WORDS: Final[Mapping[str, Any]] = toml_of("extraction.temporal", "lexicon.toml")
_ENGLISH: Final = WORDS["english"]
WEEKDAYS = {name: number for number, names in enumerate(_ENGLISH["weekdays"]) for name in names.split()}
SEASONS: dict[str, int] = _ENGLISH["seasons"]
STEPS: dict[str, int] = _ENGLISH["steps"]
ORDINALS: dict[str, int] = _ENGLISH["ordinals"]
PARTS: dict[str, list[int]] = _ENGLISH["parts"]
UNITS = {word: Unit(name) for word, name in _ENGLISH["units"].items()}
EDGES = {word: Edge(name) for word, name in _ENGLISH["edges"].items()}
NUMBERS: dict[str, int] = {word: number for number, word in enumerate(_ENGLISH["numbers"].split())} | _ENGLISH[
    "more_numbers"
]
# "A few" means two to five.
FEW_FROM, FEW_TO = 2, 5


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for these words; longer ones come first."""
    return "|".join(sorted(words, key=len, reverse=True))


MONTH = f"(?P<m>{any_of(MONTH_NUMBERS)})"
WEEKDAY = f"(?P<wd>{any_of(name for name in WEEKDAYS if len(name) > 5)})"
# Includes "sun" and "sat", which are days only after "last", "this" or "next".
WEEKDAY_SHORT = f"(?P<wd>{any_of(WEEKDAYS)})"
SEASON = f"(?P<s>{any_of(SEASONS)})"
ORDINAL = f"(?P<o>{any_of(ORDINALS)})"
STEP = r"(?P<step>this past|this coming|last|past|previous|this|next|coming)"
UNIT = "(?P<u>minute|hour|day|weekend|week|fortnight|month|quarter|year|decade)"
YEAR = r"(?P<y>(?:19|20)\d\d)"
NUMBER_OF_DAY = r"(?P<d>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
COUNT = rf"(?P<n>\d{{1,3}}|{'|'.join(NUMBERS)}|few|several|some|many)"
# Text after a number that is not a year: "in 2,000", "of 1984 people".
NO_YEAR = (
    r"(?![\d:.,]*\d)(?!\s*(?:%|people|men|women|words|dollars|euros|pounds|yuan|km|kilometers|miles|meters|metres|steps|"
    r"calories|photos|pages|books|times|points|hours|minutes|years|days|of us|bce?\b))"
)


_NO_NOUN = ENGLISH_BM25 | word_set(_ENGLISH["no_nouns"])
_PLURAL = re.compile(
    r"[a-z]{2,}(?<![su])s|people|children|men|women|kids|folks|sheep|fish|feet|more|others|percent|staff|crew|km|kg|cm|mm|ml|mb|"
    r"gb|tb|mph|kph|lbs?|oz|am|pm|usd|eur|gbp|rmb"
)
_ATTENDED = word_set(_ENGLISH["attended"])
_AFTER_NUMBER = re.compile(
    r"(?P<unit>\s*(?:%|°|[.,]\d|[ap]\.m\.|o'clock|of (?:us|them|my|our|his|her|their)\b))|[ -](?=[a-z])"
)
_NEXT_WORD = re.compile(r"[a-z]+(?:['’-][a-z]+)*")


def counts_things(text: str, end: int) -> bool:
    """Return whether the number that ends at `end` counts things: "15 players", "5 literary agents", "3,000"."""
    found = _AFTER_NUMBER.match(text, end)
    if found is None or found["unit"]:
        return found is not None
    # Up to two words before the noun.
    words = _NEXT_WORD.findall(text[end : end + 60])[:3]
    if words[0] in _ATTENDED:
        return True
    for word in words:
        if word in _NO_NOUN:
            return False
        if _PLURAL.fullmatch(word):
            return True
    return False


def count_of(word: str) -> int | None:
    """Return the value of a number in digits or words; None for words without one, such as "few"."""
    return int(word) if word.isdigit() else NUMBERS.get(word)


def before(words: str, *, article: bool = True) -> re.Pattern[str]:
    """Return a pattern for a text that ends with one of these words, such as "in|during", and perhaps "the"."""
    the = r"(?:the\s+)?" if article else ""
    return re.compile(rf"(?:^|[^a-z])(?:{words})\s+{the}$")


# Distances from now: three weeks ago, in the last two days, the summer before last

UNIT_RANK = {
    Unit.MINUTE: Rank.HOUR,
    Unit.HOUR: Rank.HOUR,
    Unit.DAY: Rank.DAY,
    Unit.WEEKEND: Rank.DAY,
    Unit.WEEK: Rank.WEEK,
    Unit.MONTH: Rank.MONTH,
    Unit.QUARTER: Rank.SEASON,
    Unit.YEAR: Rank.YEAR,
    Unit.DECADE: Rank.DECADE,
}


def away(unit: Unit, count: int) -> Mark:
    """Return a mark for the calendar unit `count` units from now: -1 for the last one, 1 for the next."""
    return Mark(rank=UNIT_RANK[unit], narrow=unit_away(unit, count))


def distance(match: re.Match[str]) -> Marks:
    """Read "three days ago", "in two weeks", "a fortnight ago", "a year and a half ago", "a few months back"."""
    unit, groups = UNITS[match["u"]], match.groupdict()
    sign = 1 if groups.get("ahead") else -1
    count = count_of(match["n"])
    if count is None:
        return between(unit, sign * FEW_FROM, sign * FEW_TO)
    if match["u"] == "fortnight":
        count *= 2
    if groups.get("half") or groups.get("half2"):
        return half_away(unit, count, sign)
    if groups.get("today"):
        return Mark(rank=Rank.DAY, narrow=fixed(lambda now: day(shifted(now, unit, sign * count))))
    return away(unit, sign * count)


def between(unit: Unit, one: int, other: int) -> Mark:
    """Return the mark of "a few months ago", 两三天前: from one to another number of units from now."""
    far, near = min(one, other), max(one, other)
    narrow = fixed(lambda now: Interval(moved(unit, far, now).start, moved(unit, near, now).end))
    return Mark(rank=UNIT_RANK[unit], narrow=narrow, vague=True)


def half_away(unit: Unit, whole: int, sign: int) -> Marks:
    months_each = {Unit.YEAR: 12, Unit.DECADE: 120}.get(unit)
    if months_each:
        return away(Unit.MONTH, sign * (whole * months_each + months_each // 2))
    days_each = {Unit.MONTH: 30, Unit.WEEK: 7}.get(unit)
    if days_each:
        middle = sign * (whole * days_each + days_each // 2)
        narrow = fixed(lambda now: Interval(day(now).start + (middle - 3) * DAY, day(now).start + (middle + 4) * DAY))
        return Mark(rank=Rank.WEEK, narrow=narrow, vague=True)
    return away(Unit.MINUTE, sign * (whole * 60 + 30)) if unit is Unit.HOUR else None


def half_ago(match: re.Match[str]) -> Marks:
    return half_away(UNITS[match["u"]], 0, -1)


def window(match: re.Match[str]) -> Marks:
    """Read "the last three days", "the next two weeks", "the past year"."""
    groups = match.groupdict()
    unit = UNITS[match["u"]]
    number = groups.get("n")
    count = 1 if not number else count_of(number) or FEW_TO
    count *= 2 if match["u"] == "fortnight" else 1
    if unit is Unit.WEEKEND:
        return None
    sign = -1 if match["step"] in ("next", "coming", "following") else 1
    narrow = fixed(lambda now: lately(unit, sign * count, now))
    return Mark(rank=UNIT_RANK[unit], narrow=narrow, vague=bool(number) and count_of(number or "") is None)


def before_last(match: re.Match[str]) -> Marks:
    groups = match.groupdict()
    if groups["s"] or groups["wd"]:
        return _twice(match)
    count = -2 if match["w"] == "before last" else 2
    unit = UNITS[match["u"]]
    return Mark(rank=Rank.DAY, narrow=weekend_of(count)) if unit is Unit.WEEKEND else away(unit, count)


def _twice(match: re.Match[str]) -> Marks:
    """Read "the summer before last", "the Friday after next"."""
    step = -1 if match["w"] == "before last" else 1
    if match["wd"]:
        return weekdays_away(WEEKDAYS[match["wd"]], step * 2)
    first = SEASONS[match["s"]]
    near = recurring(lambda number: season(number, first), step)

    def narrow(_scope: Interval | None, frame: Frame) -> Interval | None:
        found = near(None, frame)
        return season(found.start.year + step, first) if found else None

    return Mark(rank=Rank.SEASON, narrow=narrow)


def weekdays_away(number: int, count: int) -> Mark:
    """Return the mark of "two Fridays ago", "the Friday after next"."""
    step = -1 if count < 0 else 1
    near = weekday(number, step)

    def narrow(_scope: Interval | None, frame: Frame) -> Interval | None:
        found = near(None, frame)
        weeks = (count - step) * 7 * DAY
        return Interval(found.start + weeks, found.end + weeks) if found else None

    return Mark(rank=Rank.DAY, narrow=narrow)


def days_ago(match: re.Match[str]) -> Marks:
    """Read "two Fridays ago"."""
    count = count_of(match["n"])
    return weekdays_away(WEEKDAYS[match["wd"]], -count) if count else None


def so_far(match: re.Match[str]) -> Marks:
    """Read "earlier this week" (until today) and "later this week" (from today)."""
    unit, earlier = UNITS[match["u"] or "day"], match["w"] == "earlier"

    def make(now: datetime) -> Interval:
        here, today = moved(unit, 0, now), day(now)
        return Interval(here.start, today.end) if earlier else Interval(today.start, here.end)

    return Mark(rank=UNIT_RANK[unit], narrow=fixed(make))
