"""English time expressions in lower-case text. Pure."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from extraction.temporal import lexicon_en as en
from extraction.temporal.expressions import (
    Lexeme,
    Lexicon,
    Mark,
    Marks,
    Narrow,
    Rank,
    day_of_month,
    edge_of,
    fixed,
    hour_of_day,
    lexicon,
    marks_found,
    month_day,
    nth_week,
    part_of_day,
    recurring,
    week_around,
    weekday,
    weekend_of,
)
from extraction.temporal.holidays import ENGLISH
from extraction.temporal.intervals import DAY, Interval, Unit, day, lately, months, season, shifted, year
from extraction.temporal.lexicon_en import away
from extraction.text.lexicon_en import ANY_MONTH, MONTH_NUMBERS

# Functions from a match to its marks

# Patterns required before words that are a time only in this context.
_RELATED = "since|until|till|by|before|after|around"
IN = en.before(f"in|during|throughout|{_RELATED}")
IN_MONTH = en.before(f"in|during|throughout|{_RELATED}", article=False)
IN_YEAR = en.before(f"in|during|throughout|circa|year|{_RELATED}")
ON = re.compile(
    en.before(
        f"on|for|to|you|me|us|him|her|them|it|here|there|back|home|free|busy|off|out|{_RELATED}", article=False
    ).pattern
    # "She arrives Friday", "leaving Friday"; not "is Friday" or "his Friday".
    + r"|\b(?!(?:is|was|this|his|as|has|does)\b)[a-z]{2,}(?:s|ing|ed)\s+$|(?:^|[.!?,;:]\s+|[–—-]\s*)$"
)
BY_THE = en.before(f"on|from|to|for|is|was|{_RELATED}")
ON_DATE = en.before(f"on|{_RELATED}")
OVER = en.before(f"in|during|over|at|for the|with the|on|{_RELATED}")
AT = re.compile(
    en.before(
        "at|on|for|over|during|in|the|host|hosting|spend|spending|spent|celebrate|celebrating|celebrated|had|have|having|"
        f"missed|{_RELATED}"
    ).pattern
    # A sentence may begin with a holiday: "Christmas was quiet".
    + r"|(?:^|[.!?,;:]\s+)$"
)
FALL = re.compile(r"\b(?:in|during|over|since|until|by|before|after|around|for) the\s+$")


def iso_day(match: re.Match[str]) -> Marks:
    """Read "2023-05-03"."""
    when = datetime(int(match["c"]), int(match["b"]), int(match["a"]))
    return Mark(rank=Rank.DAY, narrow=fixed(lambda _now: day(when)))


def iso_month(match: re.Match[str]) -> Marks:
    """Read "2023-05"."""
    number, month = int(match["c"]), int(match["m"])
    return Mark(rank=Rank.MONTH, narrow=fixed(lambda _now: months(number, month)))


def month_of(month: int) -> Callable[[int], Interval]:
    """Return a function from year to its interval of this month."""
    return lambda number: months(number, month)


def fixed_day(match: re.Match[str]) -> Marks:
    first, second, number = int(match["a"]), int(match["b"]), int(match["c"])
    month, number_of_day = (second, first) if match["sep"] == "." or first > 12 else (first, second)
    when = datetime(number, month, number_of_day)
    return Mark(rank=Rank.DAY, narrow=fixed(lambda _now: day(when)))


def dated(match: re.Match[str]) -> Marks:
    """Read a day of a month; "may 20" without "th" requires "on" before it, and "in July 20 people" names no day."""
    first = int(match["d"])
    named_first = match.start("m") < match.start("d")
    of_period = named_first and match[0][-1].isdigit() and not match["y"] and _follows(_IN_PERIOD, match)
    if of_period and en.counts_things(match.string, match.end()):
        return None
    return _days_of_month(match, first, first)


def dated_days(match: re.Match[str]) -> Marks:
    """Read "June 3 to 5", "3-5 June"; not "July 22 and 15 players", "July 3 to 5 August"."""
    first, last = int(match["d"]), int(match["d2"])
    # Raises for a day that no year has.
    datetime(2024, MONTH_NUMBERS[match["m"]], last)
    named_first = match.start("m") < match.start("d")
    loose = named_first and not (match["tight"] or match["th"] or match["y"] or _follows(_FROM, match))
    if last <= first or (loose and en.counts_things(match.string, match.end())):
        return None
    return _days_of_month(match, first, last)


def _follows(words: re.Pattern[str], match: re.Match[str]) -> bool:
    return words.search(match.string, max(match.start() - 16, 0), match.start()) is not None


def _days_of_month(match: re.Match[str], first: int, last: int) -> Marks:
    month, named = MONTH_NUMBERS[match["m"]], match["y"]
    mark = Mark(
        rank=Rank.DAY,
        narrow=recurring(month_day(month, first, last)),
        bare=not named,
        dated=True,
        alone=ON_DATE if match["m"] in ("may", "march", "mar") and match[0][-1].isdigit() and not named else None,
    )
    return [mark, *([year_named(int(named))] if named else [])]


def year_named(number: int, alone: re.Pattern[str] | None = None, *, never_alone: bool = False) -> Mark:
    return Mark(rank=Rank.YEAR, narrow=fixed(lambda _now: year(number)), alone=alone, never_alone=never_alone)


def short_year(match: re.Match[str]) -> Marks:
    number = int(match["y"])
    return year_named(number + (2000 if number < 70 else 1900), never_alone=True)


def decade(match: re.Match[str]) -> Marks:
    number = int(match["y"])
    first = number if number > 99 else number + (2000 if number < 30 else 1900)
    return Mark(rank=Rank.DECADE, narrow=fixed(lambda _now: year(first, 10)))


def stepped(match: re.Match[str]) -> Marks:
    """Read "last week", "this Friday", "next summer"; "last Christmas" is read as a holiday."""
    step, groups = en.STEPS[match["step"]], match.groupdict()
    if groups["u"]:
        unit = en.UNITS[groups["u"]]
        return Mark(rank=Rank.DAY, narrow=weekend_of(step)) if unit is Unit.WEEKEND else away(unit, step)
    if groups["wd"]:
        return Mark(rank=Rank.DAY, narrow=weekday(en.WEEKDAYS[groups["wd"]], step))
    if groups["m"]:
        return Mark(rank=Rank.MONTH, narrow=recurring(month_of(MONTH_NUMBERS[groups["m"]]), step))
    first = en.SEASONS[groups["s"]]
    return Mark(rank=Rank.SEASON, narrow=recurring(lambda number: season(number, first), step))


def edge(match: re.Match[str]) -> Marks:
    groups = match.groupdict()
    unit = en.UNITS[groups["u"]] if groups.get("u") else None
    return Mark(
        rank=Rank.EDGE, narrow=edge_of(en.EDGES[match["e"]], unit), bare=unit is not None, never_alone=unit is None
    )


def quarter(match: re.Match[str]) -> Marks:
    groups = match.groupdict()
    nth = int(groups["q"]) if groups.get("q") else en.ORDINALS[groups["o"] or "first"]
    number = nth if nth > 0 else 4
    narrow = recurring(lambda of: months(of, 3 * number - 2, 3))
    return Mark(rank=Rank.SEASON, narrow=narrow, bare=True, general=True, alone=IN)


def nth_of(match: re.Match[str]) -> Marks:
    """Read "the first week", "the second weekend", "the last Monday" of a month."""
    nth, groups = en.ORDINALS[match["o"]], match.groupdict()
    if groups["wd"]:
        return Mark(rank=Rank.DAY, narrow=weekday(en.WEEKDAYS[groups["wd"]], nth=nth), never_alone=True)
    if groups["u"] == "weekend":
        return Mark(rank=Rank.DAY, narrow=weekend_of(nth=nth), never_alone=True)
    return Mark(rank=Rank.WEEK, narrow=nth_week(nth), never_alone=True)


def bare(rank: Rank, narrow: Narrow, alone: re.Pattern[str] | None) -> Mark:
    return Mark(rank=rank, narrow=narrow, bare=True, alone=alone)


def hour(match: re.Match[str]) -> Marks:
    hour = int(match["h"])
    half = match.groupdict().get("ap")
    if hour > 23 or (half and hour > 12):
        return None
    hour = hour % 12 + (12 if half and half[0] == "p" else 0) if half else hour
    return Mark(rank=Rank.HOUR, narrow=hour_of_day(hour), never_alone=True)


def relative_day(days_away: int, hours: Sequence[int] | None = None) -> Callable[[re.Match[str]], Marks]:
    def make(_match: re.Match[str]) -> Marks:
        that_day = away(Unit.DAY, days_away)
        return [that_day, Mark(rank=Rank.PART, narrow=part_of_day(*hours))] if hours else that_day

    return make


def vague(make: Callable[[datetime], Interval]) -> Callable[[re.Match[str]], Marks]:
    return lambda _match: Mark(rank=Rank.WEEK, narrow=fixed(make), vague=True)


def last_hour(now: datetime) -> Interval:
    """Return the interval of "just now": the last hour."""
    return lately(Unit.HOUR, 1, now)


def a_year_ago(now: datetime) -> Interval:
    """Return the interval of "this time last year": the day a year ago, with a week on either side."""
    then = day(shifted(now, Unit.YEAR, -1))
    return Interval(then.start - 7 * DAY, then.end + 7 * DAY)


def since_days(first: int, end: int) -> Callable[[datetime], Interval]:
    return lambda now: Interval(day(now).start + first * DAY, day(now).start + end * DAY)


def holiday(of_year: Callable[[int], Interval], match: re.Match[str]) -> Marks:
    """Read "Christmas", "last Thanksgiving"."""
    step = match["step"]
    if step:
        return Mark(rank=Rank.DAY, narrow=recurring(of_year, en.STEPS[step]))
    return bare(Rank.DAY, recurring(of_year), AT)


def named_season(match: re.Match[str]) -> Marks:
    first = en.SEASONS[match["s"]]
    mark = bare(Rank.SEASON, recurring(lambda number: season(number, first)), OVER if match["s"] != "fall" else FALL)
    return replace(mark, general=True)


_NOT_SEASON = (
    r"(?!['’]?s? (?:camps?|rolls?|breaks?|semester|school|dress|house|jobs?|programs?|internship|olympics|sale|in love|"
    r"cleaning|onions?|coat|jacket|clothes|asleep|apart|down|over|for|back|out|off))"
)
_NOT_WEEKDAY = r"(?:mornings|afternoons|evenings|nights|school|roast|times|blues|league|markets?|papers?|best)"
_NOT_HOLIDAY = (
    r"(?:trees?|cards?|gifts?|presents?|songs?|music|lights?|eggs?|costumes?|movies?|films?|carols?|decorations?|"
    r"spirit|jumpers?|sweaters?|cookies|cake|island|bunny|resolutions?)"
)
# A day of a month that is not named: "on the 18th", "from the 3rd", not "on the 3rd floor".
_THE_DAY = (
    r"(?<=\bthe )(?P<d>[12]?1st|2?2nd|2?3rd|(?:[4-9]|1\d|2[04-9]|30)th|31st)"
    r"(?=\s*(?:[^\w\s'’-]|$)|\s+(?:and|but|or|to|at|in|with|for|so|because|if|when|then|which|that|already|please|btw|it|i|"
    r"we|he|she|they|my|our|the|from|until|till)\b)"
)
# Periods that may follow "early", "late" and "the last week of".
_OF_WHAT = (
    r"(?:(?:the|last|next|this|of|in|my) )*(?:the |year|month|week|quarter|century|decade|spring|summer|autumn|fall|"
    rf"winter|(?:19|20)\d\ds?|['’]?[2-9]0s|{ANY_MONTH})"
)
_TO_DAY = (
    r"(?:(?P<tight>[-–])| ?(?:-|–|to|and|through|until) ?)(?:the )?(?P<d2>0?[1-9]|[12]\d|3[01])(?P<th>st|nd|rd|th)?"
)
# No part of a longer number or of a time: "July 22,000", "June 3:30".
_NO_NUMBER = r"(?![\d:]|/\d|,\d{3}(?!\d)|\.\d)"
_IN_PERIOD = re.compile(r"(?:^|[^a-z])(?:in|during|this|last|next|since) $")
_FROM = re.compile(r"(?:^|[^a-z])(?:from|between) (?:the )?$")
_PARTS = en.any_of(en.PARTS)
_HALF = r"(?P<half> and a half)?"
_EDGE = r"(?P<e>early|start|beginning|mid|middle|late|end|first half|second half)"


def marks_in(text: str) -> list[Mark]:
    """Return the marks of a text normalized by `plain`, in order and without overlaps."""
    return marks_found(text, LEXICONS) if _ANY.search(text) else []


def _lexeme(pattern: str, maker: Callable[[re.Match[str]], Marks]) -> Lexeme:
    return re.compile(rf"\b(?:{pattern})\b"), maker


def _month(match: re.Match[str]) -> Marks:
    narrow = recurring(month_of(MONTH_NUMBERS[match["m"]]))
    return Mark(rank=Rank.MONTH, narrow=narrow, bare=True, dated=True, alone=IN_MONTH)


_UNIT_WORDS = r"fortnight|day|week|month|year|quarter|decade|minute|hour|century"
_HOLIDAY_WORDS = (
    r"mas\b|new year|thanksgiving|(?:black|good) friday|easter|halloween|valentine|['’]s['’]? day|s['’]? day|"
    r"(?:boxing|memorial|labou?r|earth|mlk|sweeping|king|jr\.?|women) day|of july|juneteenth|fool|patrick|festival|"
    r"qixi|autumn|qingming|ching ming|double ninth"
)
# Quick check: most texts name no time.
_ANY = re.compile(
    rf"\d|{_UNIT_WORDS}|night|morning|noon|evening|tomorrow|now\b|ago\b|late|recent|{_HOLIDAY_WORDS}|"
    rf"{'|'.join(en.SEASONS)}|\b{ANY_MONTH}\b|\b(?:last|next|this|past) (?:sat|sun|mon|tue|wed|thu|fri)"
)
# Longer expressions come first, because matched text is not matched again.
LEXICONS: tuple[Lexicon, ...] = (
    lexicon(
        r"\d",
        _lexeme(r"(?P<c>(?:19|20)\d\d)[-/.](?P<b>\d{1,2})[-/.](?P<a>\d{1,2})(?P<sep>)(?!\d)", iso_day),
        _lexeme(r"(?P<c>(?:19|20)\d\d)[-/](?P<m>0[1-9]|1[0-2])(?![-/.\d])", iso_month),
        _lexeme(r"(?P<a>\d{1,2})(?P<sep>[/.])(?P<b>\d{1,2})(?P=sep)(?P<c>(?:19|20)\d\d)", fixed_day),
        _lexeme(
            rf"{en.MONTH}\.? {en.NUMBER_OF_DAY}{_TO_DAY}(?! (?:of )?{ANY_MONTH}\b)(?:,? {en.YEAR})?{_NO_NUMBER}",
            dated_days,
        ),
        _lexeme(rf"{en.NUMBER_OF_DAY}{_TO_DAY}(?: of)? {en.MONTH}\.?(?:,? {en.YEAR})?", dated_days),
        _lexeme(rf"{en.MONTH}\.? {en.NUMBER_OF_DAY}(?:,? {en.YEAR})?{_NO_NUMBER}", dated),
        _lexeme(rf"{en.NUMBER_OF_DAY}(?: of)? {en.MONTH}\.?(?:,? {en.YEAR})?", dated),
    ),
    lexicon(
        _HOLIDAY_WORDS,
        *(
            _lexeme(rf"(?:{en.STEP}(?: year['’]s)? )?(?:{words})(?! {_NOT_HOLIDAY}\b)", partial(holiday, of_year))
            for words, of_year in ENGLISH
        ),
    ),
    lexicon(
        rf"{_UNIT_WORDS}|before last|after next",
        _lexeme(rf"{en.ORDINAL} (?:{en.WEEKDAY}|(?P<u>weekend|week))(?= (?:of|in) {_OF_WHAT}\b)", nth_of),
        _lexeme(
            rf"week(?= of (?:the )?(?:\d|{ANY_MONTH} \d))", lambda _match: Mark(rank=Rank.WIDER, narrow=week_around)
        ),
        _lexeme(r"this time last year", vague(a_year_ago)),
        _lexeme(
            rf"(?:(?P<u>year|month|week|weekend)|{en.SEASON}|{en.WEEKDAY}) (?P<w>before last|after next)",
            en.before_last,
        ),
        _lexeme(rf"{en.COUNT} {en.WEEKDAY}s ago", en.days_ago),
        _lexeme(rf"half an? {en.UNIT} (?:ago|back|earlier)", en.half_ago),
        _lexeme(
            rf"(?:a )?{en.COUNT}(?: of)?{_HALF} {en.UNIT}s?(?P<half2> and a half)? (?:ago|back|earlier)"
            r"(?P<today> today)?",
            en.distance,
        ),
        _lexeme(
            rf"{en.COUNT}(?: of)?{_HALF} {en.UNIT}s?(?P<half2> and a half)? (?P<ahead>from now|from today)",
            en.distance,
        ),
        _lexeme(
            rf"(?P<ahead>in) (?:a )?{en.COUNT}(?: of)?{_HALF} {en.UNIT}s?(?P<half2> and a half)?(?:['’]s? time)?",
            en.distance,
        ),
        _lexeme(rf"(?:the |these )?{en.STEP} (?:a )?{en.COUNT}(?: of)? {en.UNIT}s?", en.window),
        _lexeme(rf"(?:in|over|during|within|for|throughout) the {en.STEP} (?:a )?{en.UNIT}", en.window),
        _lexeme(rf"(?<=the )(?P<step>past) {en.UNIT}", en.window),
    ),
    lexicon(
        r"recent|lately|of late|other (?:day|week)|now\b|moment|minute",
        _lexeme(r"recently|lately|of late|in recent (?:days|weeks|months)", vague(since_days(-30, 1))),
        _lexeme(r"the other day", vague(since_days(-7, 0))),
        _lexeme(r"the other week", vague(since_days(-21, -6))),
        _lexeme(r"just now|a moment ago|a minute ago", vague(last_hour)),
    ),
    lexicon(
        r"day|tomorrow|night|morning|afternoon|evening|earlier|later",
        _lexeme(r"the day before yesterday", relative_day(-2)),
        _lexeme(r"the day after tomorrow", relative_day(2)),
        _lexeme(r"the night before last", relative_day(-2, en.PARTS["night"])),
        _lexeme(r"(?P<w>earlier|later) (?:this (?P<u>week|month|year)|(?P<t>today))", en.so_far),
        _lexeme(r"last night", relative_day(-1, en.PARTS["night"])),
        _lexeme(r"tonight", relative_day(0, en.PARTS["night"])),
        _lexeme(r"this morning", relative_day(0, en.PARTS["morning"])),
        _lexeme(r"this afternoon", relative_day(0, en.PARTS["afternoon"])),
        _lexeme(r"this evening", relative_day(0, en.PARTS["evening"])),
        _lexeme(r"yesterday", relative_day(-1)),
        _lexeme(r"today", relative_day(0)),
        _lexeme(r"tomorrow", relative_day(1)),
    ),
    lexicon(
        r"\b(?:last|past|previous|this|next|coming) ",
        _lexeme(
            rf"{en.STEP} (?:(?P<u>weekend|week|month|quarter|year|decade)|{en.WEEKDAY_SHORT}|{en.MONTH}|"
            rf"{en.SEASON})(?!-|\w)",
            stepped,
        ),
    ),
    lexicon(
        r"quarter|\bq\d|\ds\b|\d['’]s\b",
        _lexeme(r"(?:the )?['’]?(?P<y>[2-9]0|(?:19|20)\d0)['’]?s", decade),
        _lexeme(r"q(?P<q>[1-4])", quarter),
        _lexeme(rf"(?:{en.ORDINAL}) quarter", quarter),
    ),
    lexicon(
        r"\b(?:early|start|beginning|mid|middle|late|end|half)\b",
        _lexeme(rf"{_EDGE}(?: of| in)? (?:the|this) (?P<u>year|month|week|quarter|decade)(?! \w+day)", edge),
        _lexeme(rf"{_EDGE}[ -](?:of |in )?(?={_OF_WHAT}\b)", edge),
    ),
    lexicon(
        rf"day\b|weekend|{'|'.join(en.SEASONS)}|{ANY_MONTH}",
        _lexeme(
            rf"{en.WEEKDAY}(?!s)(?! {_NOT_WEEKDAY}\b)",
            lambda match: bare(Rank.DAY, weekday(en.WEEKDAYS[match["wd"]]), ON),
        ),
        _lexeme(r"weekend", lambda _match: replace(bare(Rank.DAY, weekend_of(), OVER), general=True)),
        _lexeme(rf"{en.SEASON}{_NOT_SEASON}", named_season),
        _lexeme(rf"{en.MONTH}", _month),
    ),
    lexicon(
        r"\d",
        (re.compile(r"(?<=[a-z] )['’](?P<y>\d\d)\b"), short_year),
        _lexeme(rf"{en.YEAR}{en.NO_YEAR}(?!['’]s)", lambda match: year_named(int(match["y"]), IN_YEAR)),
    ),
    lexicon(
        r"\d|morning|noon|midday|lunchtime|evening|night",
        _lexeme(
            rf"(?:in the |the )?(?P<p>{_PARTS})",
            lambda match: Mark(rank=Rank.PART, narrow=part_of_day(*en.PARTS[match["p"]]), never_alone=True),
        ),
        _lexeme(r"(?:at )?(?P<h>\d{1,2})(?::\d\d)? ?(?P<ap>[ap])\.?m\.?", hour),
        _lexeme(r"at (?P<h>\d{1,2}):\d\d", hour),
        _lexeme(
            r"(?P<d>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)(?= (?:of|in) (?:last|this|next) month)",
            lambda match: Mark(rank=Rank.DAY, narrow=day_of_month(int(match["d"])), never_alone=True),
        ),
        _lexeme(_THE_DAY, lambda match: bare(Rank.DAY, day_of_month(int(match["d"][:-2])), BY_THE)),
    ),
)
