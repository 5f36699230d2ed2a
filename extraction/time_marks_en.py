"""English words for time as marks, found in lower-case text. Pure."""

import re
from collections.abc import Callable
from functools import partial

from extraction import time_distances_en as far
from extraction import time_lexicon_en as en
from extraction import time_makers_en as make
from extraction.holidays import ENGLISH
from extraction.time_marks import (
    Lexeme,
    Lexicon,
    Mark,
    Marks,
    Rank,
    day_of_month,
    marks_found,
    part_of_day,
    recurring,
    week_around,
    weekday,
    weekend_of,
)

_NOT_SEASON = (
    r"(?!['’]?s? (?:camps?|rolls?|breaks?|semester|school|dress|house|jobs?|programs?|internship|olympics|sale|in love|"
    r"cleaning|onions?|coat|jacket|clothes|asleep|apart|down|over|for|back|out|off))"
)
_MONTH_NAMES = "|".join(sorted(en.MONTHS, key=len, reverse=True))
# What "early", "late" and "the last week of" are said of.
_OF_WHAT = (
    r"(?:(?:the|last|next|this|of|in|my) )*(?:the |year|month|week|quarter|century|decade|spring|summer|autumn|fall|"
    rf"winter|(?:19|20)\d\ds?|['’]?[2-9]0s|{_MONTH_NAMES})"
)
_TO_DAY = r"(?: ?(?:-|–|to|and|through|until) ?(?P<d2>[0-3]?\d)(?:st|nd|rd|th)?)?"
_PARTS = "|".join(sorted(en.PARTS, key=len, reverse=True))
_EDGE = r"(?P<e>early|start|beginning|mid|middle|late|end|first half|second half)"


def marks_in(text: str) -> list[Mark]:
    """The marks of a text made `plain` in order, none overlapping another."""
    return marks_found(text, LEXICONS) if _ANY.search(text) else []


def _lexeme(pattern: str, maker: Callable[[re.Match[str]], Marks]) -> Lexeme:
    return re.compile(rf"\b(?:{pattern})\b"), maker


def _bare_weekday(match: re.Match[str]) -> Marks:
    return make.bare(Rank.DAY, weekday(en.WEEKDAYS[match["wd"]]), make.ON)


def _weekend(_match: re.Match[str]) -> Marks:
    return make.bare(Rank.DAY, weekend_of(), make.OVER)


def _month(match: re.Match[str]) -> Marks:
    narrow = recurring(make.month_of(en.MONTHS[match["m"]]))
    return Mark(rank=Rank.MONTH, narrow=narrow, bare=True, dated=True, alone=make.IN_MONTH)


def _part(match: re.Match[str]) -> Marks:
    return Mark(rank=Rank.PART, narrow=part_of_day(*en.PARTS[match["p"]]), never_alone=True)


def _week_of(_match: re.Match[str]) -> Marks:
    return Mark(rank=Rank.WIDER, narrow=week_around)


def _year(match: re.Match[str]) -> Marks:
    return make.year_named(int(match["y"]), make.IN_YEAR)


def _day_number(match: re.Match[str]) -> Marks:
    return Mark(rank=Rank.DAY, narrow=day_of_month(int(match["d"])), never_alone=True)


_UNIT_WORDS = r"day|week|month|year|quarter|decade|minute|hour|century"
_HOLIDAY_WORDS = (
    r"mas\b|new year|thanksgiving|(?:black|good) friday|easter|halloween|valentine|['’]s['’]? day|s['’]? day|"
    r"(?:boxing|memorial|labou?r|earth|mlk|sweeping|king|jr\.?|women) day|of july|juneteenth|fool|patrick|festival|"
    r"qixi|autumn|qingming|ching ming|double ninth"
)
_DIGIT = re.compile(r"\d")
_HOLIDAY = re.compile(_HOLIDAY_WORDS)
_UNIT = re.compile(rf"{_UNIT_WORDS}|before last|after next")
_ROUGH = re.compile(r"recent|lately|of late|other (?:day|week)|now\b|moment|minute")
_NEAR = re.compile(r"day|tomorrow|night|morning|afternoon|evening|earlier|later")
_STEP = re.compile(r"\b(?:last|past|previous|this|next|coming) ")
_QUARTER = re.compile(r"quarter|\bq\d|\ds\b|\d['’]s\b")
_EDGE_WORD = re.compile(r"\b(?:early|start|beginning|mid|middle|late|end|half)\b")
_NAMED = re.compile(rf"day\b|weekend|{'|'.join(en.SEASONS)}|{_MONTH_NAMES}")
_OF_DAY = re.compile(r"\d|morning|noon|midday|lunchtime|evening|night")
# Most texts name no time, and this tells so at once.
_ANY = re.compile(
    rf"\d|{_UNIT_WORDS}|night|morning|noon|evening|tomorrow|now\b|ago\b|late|recent|{_HOLIDAY_WORDS}|"
    rf"{'|'.join(en.SEASONS)}|\b(?:{_MONTH_NAMES})\b|\b(?:last|next|this|past) (?:sat|sun|mon|tue|wed|thu|fri)"
)
# Longer wordings come first, since what was read once is not read again.
LEXICONS: tuple[Lexicon, ...] = (
    Lexicon(
        _DIGIT,
        (
            _lexeme(r"(?P<c>(?:19|20)\d\d)[-/.](?P<b>\d{1,2})[-/.](?P<a>\d{1,2})(?P<sep>)(?!\d)", make.iso_day),
            _lexeme(r"(?P<c>(?:19|20)\d\d)[-/](?P<m>0[1-9]|1[0-2])(?![-/.\d])", make.iso_month),
            _lexeme(r"(?P<a>\d{1,2})(?P<sep>[/.])(?P<b>\d{1,2})(?P=sep)(?P<c>(?:19|20)\d\d)", make.fixed_day),
            _lexeme(
                rf"{en.MONTH}\.? {en.NUMBER_OF_DAY}{_TO_DAY}"
                rf"(?:,? {en.YEAR})?(?![\d:]|/\d)",
                make.dated,
            ),
            _lexeme(
                rf"{en.NUMBER_OF_DAY}{_TO_DAY}(?: of)? "
                rf"{en.MONTH}\.?(?:,? {en.YEAR})?",
                make.dated,
            ),
        ),
    ),
    Lexicon(
        _HOLIDAY,
        (
            *(
                _lexeme(rf"(?:{en.STEP}(?: year['’]s)? )?(?:{words})", partial(make.holiday, of_year))
                for words, of_year in ENGLISH
            ),
        ),
    ),
    Lexicon(
        _UNIT,
        (
            _lexeme(rf"{en.ORDINAL} (?:{en.WEEKDAY}|(?P<u>weekend|week))(?= (?:of|in) {_OF_WHAT}\b)", make.nth_of),
            _lexeme(
                rf"week(?= of (?:the )?(?:\d|{_MONTH_NAMES} \d))", lambda _: Mark(rank=Rank.WIDER, narrow=week_around)
            ),
            _lexeme(r"this time last year", make.vague(make.a_year_ago)),
            _lexeme(
                rf"(?:(?P<u>year|month|week|weekend)|{en.SEASON}|{en.WEEKDAY}) (?P<w>before last|after next)",
                far.before_last,
            ),
            _lexeme(rf"{en.COUNT} {en.WEEKDAY}s ago", far.days_ago),
            _lexeme(rf"half an? {en.UNIT} (?:ago|back|earlier)", far.half_ago),
            _lexeme(
                rf"(?:a )?{en.COUNT}(?: of)? {en.UNIT}s?(?P<half> and a half)? (?:ago|back|earlier)(?P<today> today)?",
                far.distance,
            ),
            _lexeme(rf"{en.COUNT}(?: of)? {en.UNIT}s? (?P<ahead>from now|from today)", far.distance),
            _lexeme(rf"(?P<ahead>in) (?:a )?{en.COUNT}(?: of)? {en.UNIT}s?(?:['’] time)?", far.distance),
            _lexeme(rf"(?:the |these )?{en.STEP} (?:a )?{en.COUNT}(?: of)? {en.UNIT}s?", far.window),
            _lexeme(rf"(?:in|over|during|within|for|throughout) the {en.STEP} (?:a )?{en.UNIT}", far.window),
            _lexeme(rf"(?<=the )(?P<step>past) {en.UNIT}", far.window),
        ),
    ),
    Lexicon(
        _ROUGH,
        (
            _lexeme(r"recently|lately|of late|in recent (?:days|weeks|months)", make.vague(make.since_days(-30, 1))),
            _lexeme(r"the other day", make.vague(make.since_days(-7, 0))),
            _lexeme(r"the other week", make.vague(make.since_days(-21, -6))),
            _lexeme(r"just now|a moment ago|a minute ago", make.vague(make.last_hour)),
        ),
    ),
    Lexicon(
        _NEAR,
        (
            _lexeme(r"the day before yesterday", make.said(-2)),
            _lexeme(r"the day after tomorrow", make.said(2)),
            _lexeme(r"the night before last", make.said(-2, en.PARTS["night"])),
            _lexeme(r"(?P<w>earlier|later) (?:this (?P<u>week|month|year)|(?P<t>today))", far.so_far),
            _lexeme(r"last night", make.said(-1, en.PARTS["night"])),
            _lexeme(r"tonight", make.said(0, en.PARTS["night"])),
            _lexeme(r"this morning", make.said(0, en.PARTS["morning"])),
            _lexeme(r"this afternoon", make.said(0, en.PARTS["afternoon"])),
            _lexeme(r"this evening", make.said(0, en.PARTS["evening"])),
            _lexeme(r"yesterday", make.said(-1)),
            _lexeme(r"today", make.said(0)),
            _lexeme(r"tomorrow", make.said(1)),
        ),
    ),
    Lexicon(
        _STEP,
        (
            _lexeme(
                rf"{en.STEP} (?:(?P<u>weekend|week|month|quarter|year|decade)|{en.WEEKDAY_SHORT}|{en.MONTH}|"
                rf"{en.SEASON})(?!-|\w)",
                make.stepped,
            ),
        ),
    ),
    Lexicon(
        _QUARTER,
        (
            _lexeme(r"(?:the )?['’]?(?P<y>[2-9]0|(?:19|20)\d0)['’]?s", make.decade),
            _lexeme(r"q(?P<q>[1-4])", make.quarter),
            _lexeme(rf"(?:{en.ORDINAL}) quarter", make.quarter),
        ),
    ),
    Lexicon(
        _EDGE_WORD,
        (
            _lexeme(rf"{_EDGE}(?: of| in)? (?:the|this) (?P<u>year|month|week|quarter|decade)(?! \w+day)", make.edge),
            _lexeme(rf"{_EDGE}[ -](?:of |in )?(?={_OF_WHAT}\b)", make.edge),
        ),
    ),
    Lexicon(
        _NAMED,
        (
            _lexeme(rf"(?:{en.WEEKDAY})(?!s)", _bare_weekday),
            _lexeme(r"weekend", _weekend),
            _lexeme(rf"{en.SEASON}{_NOT_SEASON}", make.named_season),
            _lexeme(rf"{en.MONTH}", _month),
        ),
    ),
    Lexicon(
        _DIGIT,
        (
            (re.compile(r"(?<=[a-z] )['’](?P<y>\d\d)\b"), make.short_year),
            _lexeme(rf"{en.YEAR}{en.NO_YEAR}(?!['’]s)", _year),
        ),
    ),
    Lexicon(
        _OF_DAY,
        (
            _lexeme(rf"(?:in the |the )?(?P<p>{_PARTS})", _part),
            _lexeme(r"(?:at )?(?P<h>\d{1,2})(?::\d\d)? ?(?P<ap>[ap])\.?m\.?", make.hour),
            _lexeme(r"at (?P<h>\d{1,2}):\d\d", make.hour),
            _lexeme(
                r"(?P<d>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)(?= (?:of|in) (?:last|this|next) month)",
                _day_number,
            ),
        ),
    ),
)
