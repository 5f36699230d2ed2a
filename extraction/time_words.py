"""Words for time in English and Chinese, resolved against the moment a message was said (pure)."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from schema.timespan import Timespan, as_utc

SPANS_MAX = 20
TEXT_CHARS_MAX = 20_000
_MONTH_NAMES = (
    "January|February|March|April|May|June|July|August|September|October|November|December|"
    "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
)
_MONTHS_EN = _MONTH_NAMES.lower().split("|")
_DAYS_EN = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_DIGITS_ZH = {c: n for n, c in enumerate("零一二三四五六七八九十")} | {"两": 2, "几": 3, "〇": 0}
_WEEKDAYS_ZH = {c: n for n, c in enumerate("一二三四五六日")} | {"天": 6, "末": 5}
_COUNTS_EN = "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_NUMBERS_EN = {word: number for number, word in enumerate(_COUNTS_EN.split("|"))} | {
    "a": 1,
    "an": 1,
    "couple": 2,
    "few": 3,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeFound:
    """Words that name a time: `text[start:end]` of the text that was read."""

    span: Timespan
    start: int
    end: int


Days = tuple[date, date]
Reader = Callable[[re.Match[str], date], Days | None]


def spans_in(text: str, said_at: datetime) -> list[TimeFound]:
    """The times a text names, in order, none overlapping another, at most `SPANS_MAX`.

    Args:
        said_at: the moment the words were said; days are taken in its own zone, spans are given in UTC.
    """
    today = said_at.date()
    zone = said_at.tzinfo or UTC
    found: list[TimeFound] = []
    for pattern, reader in _PATTERNS:
        for match in pattern.finditer(text[:TEXT_CHARS_MAX]):
            try:
                days = reader(match, today)
            except (ValueError, OverflowError):
                continue
            if days is None or any(match.start() < other.end and other.start < match.end() for other in found):
                continue
            span = Timespan(
                start=as_utc(datetime.combine(days[0], time(), zone)),
                end=as_utc(datetime.combine(days[1], time(), zone)),
            )
            found.append(TimeFound(span=span, start=match.start(), end=match.end()))
            if len(found) >= SPANS_MAX:
                break
    return sorted(found, key=lambda item: item.start)[:SPANS_MAX]


def question_span(question: str, reference: datetime) -> Timespan | None:
    """The time a question asks about: from the first to the last time it names; None when it names none."""
    spans = [found.span for found in spans_in(question, reference)]
    starts = [span.start for span in spans if span.start is not None]
    ends = [span.end for span in spans if span.end is not None]
    return Timespan(start=min(starts), end=max(ends)) if starts and ends else None


def _day(day: date) -> Days:
    return day, day + timedelta(days=1)


def _week(day: date) -> Days:
    monday = day - timedelta(days=day.weekday())
    return monday, monday + timedelta(days=7)


def _month(year: int, month: int) -> Days:
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    following = (year + 1, 1) if month == 12 else (year, month + 1)
    return date(year, month, 1), date(*following, 1)


def _year(year: int) -> Days:
    return date(year, 1, 1), date(year + 1, 1, 1)


def _moved(unit: str, count: int, today: date) -> Days:
    """The day, week, month or year that lies `count` units from today."""
    match unit[0]:
        case "d" | "天" | "日":
            return _day(today + timedelta(days=count))
        case "w" | "周" | "星" | "礼":
            return _week(today + timedelta(weeks=count))
        case "m" | "月":
            return _month(today.year, today.month + count)
        case _:
            return _year(today.year + count)


def _number_zh(text: str) -> int:
    if text.isdigit():
        return int(text)
    if "十" in text:
        tens, _, ones = text.partition("十")
        return (_DIGITS_ZH[tens] if tens else 1) * 10 + (_DIGITS_ZH[ones] if ones else 0)
    return _DIGITS_ZH[text]


def _iso_day(match: re.Match[str], _today: date) -> Days:
    return _day(date(int(match["y"]), int(match["m"]), int(match["d"])))


def _with_year(match: re.Match[str], month: int, today: date) -> Days:
    """A day or month; without a year it is the last one that is not ahead of today."""
    day = int(match["d"]) if match["d"] else None
    if match["y"]:
        year = int(match["y"])
    else:
        ahead = (month, day or 1) > (today.month, today.day)
        year = today.year - 1 if ahead else today.year
    return _day(date(year, month, day)) if day else _month(year, month)


def _english_date(match: re.Match[str], today: date) -> Days | None:
    word = match["m"].lower()
    return _with_year(match, _MONTHS_EN.index(word) % 12 + 1, today)


def _english_relative(match: re.Match[str], today: date) -> Days:
    step = {"last": -1, "past": -1, "previous": -1, "this": 0, "next": 1, "coming": 1}[match["w"].lower()]
    unit = match["u"].lower()
    if unit == "weekend":
        return _weekend(step, today)
    if unit in _DAYS_EN:
        return _day(_weekday(_DAYS_EN.index(unit), step, today))
    return _moved(unit, step, today)


def _weekday(number: int, step: int, today: date) -> date:
    """`last Friday` is the latest before today, `next Friday` the first after it, `this Friday` that of this week."""
    if step == 0:
        return today - timedelta(days=today.weekday()) + timedelta(days=number)
    if step < 0:
        return today - timedelta(days=(today.weekday() - number - 1) % 7 + 1)
    return today + timedelta(days=(number - today.weekday() - 1) % 7 + 1)


def _weekend(step: int, today: date) -> Days:
    saturday = today - timedelta(days=today.weekday()) + timedelta(days=5, weeks=step)
    # On a Saturday or Sunday "last weekend" is the one before.
    return saturday, saturday + timedelta(days=2)


def _english_distance(match: re.Match[str], today: date) -> Days:
    word = match["n"].lower()
    count = int(word) if word.isdigit() else _NUMBERS_EN[word]
    return _moved(match["u"].lower(), -count if "w" in match.groupdict() else count, today)


_NEAR = {
    "the day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
    "the day after tomorrow": 2,
    "tomorrow": 1,
    "大前天": -3,
    "前天": -2,
    "昨天": -1,
    "昨晚": -1,
    "昨日": -1,
    "今天": 0,
    "今晚": 0,
    "今早": 0,
    "今日": 0,
    "明天": 1,
    "明晚": 1,
    "明日": 1,
    "后天": 2,
    "大后天": 3,
}
_YEARS_ZH = {"前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}


def _near(match: re.Match[str], today: date) -> Days:
    return _day(today + timedelta(days=_NEAR[match[0].lower()]))


def _chinese_date(match: re.Match[str], today: date) -> Days:
    if match["r"]:
        year = today.year + _YEARS_ZH[match["r"]]
        month, day = int(match["m"]), match["d"]
        return _day(date(year, month, int(day))) if day else _month(year, month)
    return _with_year(match, int(match["m"]), today)


def _chinese_week(match: re.Match[str], today: date) -> Days:
    step = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}[match["w"]]
    if match["e"]:
        return _weekend(step, today)
    if match["d"] is None:
        return _moved("w", step, today)
    monday = today - timedelta(days=today.weekday()) + timedelta(weeks=step)
    return _weekend(step, today) if match["d"] == "末" else _day(monday + timedelta(days=_WEEKDAYS_ZH[match["d"]]))


def _chinese_month(match: re.Match[str], today: date) -> Days:
    return _moved("m", {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}[match["w"]], today)


def _chinese_distance(match: re.Match[str], today: date) -> Days:
    count = _number_zh(match["n"])
    return _moved(match["u"], -count if match["w"] in ("前", "之前", "以前") else count, today)


_MONTH = f"(?P<m>{_MONTH_NAMES})"
_COUNT_EN = rf"(?P<n>\d{{1,3}}|an?|few|couple|{_COUNTS_EN})"
_COUNT_ZH = r"(?P<n>\d{1,3}|[一二两三四五六七八九十]{1,3}|几)"

# Longer wordings come first, since what was read once is not read again.
_PATTERNS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (re.compile(r"(?<!\d)(?P<y>(?:19|20)\d\d)[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)"), _iso_day),
    (
        re.compile(
            r"(?:(?P<y>(?:19|20)\d\d)年|(?P<r>去年|今年|前年|明年|后年)的?)?(?<!\d)(?P<m>1[0-2]|"
            r"0?[1-9])月(?:(?P<d>\d{1,2})[日号]?(?!\d))?(?!薪)"
        ),
        _chinese_date,
    ),
    (
        re.compile(r"\b(?P<d>[0-3]?\d)(?:st|nd|rd|th)?(?: of)? " + _MONTH + r"\b\.?(?:,? (?P<y>(?:19|20)\d\d)\b)?"),
        _english_date,
    ),
    (
        re.compile(r"\b" + _MONTH + r"\.? (?P<d>[0-3]?\d)(?:st|nd|rd|th)?\b(?:,? (?P<y>(?:19|20)\d\d)\b)?"),
        _english_date,
    ),
    (re.compile(r"\b" + _MONTH + r"(?P<d>),? (?P<y>(?:19|20)\d\d)\b"), _english_date),
    (
        re.compile(
            r"\b(?:[Ii]n|[Ss]ince|[Ll]ast|[Tt]his|of|[Dd]uring) (?:early |late |mid-?)?" + _MONTH + r"\b(?P<d>)(?P<y>)"
        ),
        _english_date,
    ),
    (re.compile(r"\b(?:" + "|".join(key for key in _NEAR if key.isascii()) + r")\b", re.IGNORECASE), _near),
    (re.compile("|".join(sorted((key for key in _NEAR if not key.isascii()), key=len, reverse=True))), _near),
    (
        re.compile(
            r"\b(?P<w>last|past|previous|this|next|coming) (?P<u>weekend|week|month|year|"
            + "|".join(_DAYS_EN)
            + r")\b",
            re.IGNORECASE,
        ),
        _english_relative,
    ),
    (
        re.compile(
            _COUNT_EN.join((r"\b(?:a )?", r"(?: of)? (?P<u>day|week|month|year)s? (?P<w>ago|earlier|back)\b")),
            re.IGNORECASE,
        ),
        _english_distance,
    ),
    (
        re.compile(_COUNT_EN.join((r"\bin (?:a )?", r"(?: of)? (?P<u>day|week|month|year)s?\b")), re.IGNORECASE),
        _english_distance,
    ),
    (
        re.compile(
            r"(?P<w>上上|下下|上|下|这|本)(?:个|一)?(?:(?P<e>周末)|(?:周|星期|"
            r"礼拜)(?P<d>[一二三四五六日天末])?)(?!年|围|边|到|围)"
        ),
        _chinese_week,
    ),
    (re.compile(r"(?P<w>上上|下下|上|下|这|本)个?月(?!球|亮|饼)"), _chinese_month),
    (re.compile(_COUNT_ZH + r"个?(?P<u>天|日|周|星期|礼拜|月|年)(?P<w>之前|以前|之后|以后|前|后)"), _chinese_distance),
    (re.compile(r"(?<!\d)(?P<y>(?:19|20)\d\d)年(?!代)"), lambda match, _today: _year(int(match["y"]))),
    (re.compile("|".join(_YEARS_ZH)), lambda match, today: _year(today.year + _YEARS_ZH[match[0]])),
    (
        re.compile(r"\b(?:[Ii]n|[Ss]ince|[Uu]ntil|[Dd]uring|[Bb]y|of) (?P<y>(?:19|20)\d\d)\b(?![-/.]\d)"),
        lambda match, _today: _year(int(match["y"])),
    ),
)
