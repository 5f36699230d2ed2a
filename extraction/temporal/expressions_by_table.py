"""German, Spanish, French and Japanese time expressions, by the tables of `languages.toml`. Pure.

A table has the words of a language by their meaning, and templates of expressions in which `{unit}`, `{month}` and the
like stand for these words. What an expression means follows from the kind of its template, alike in all languages.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any, Final, TypeVar

from extraction.temporal.expressions import (
    Lexicon,
    Mark,
    Marks,
    Rank,
    day_of_month,
    edge_of,
    fixed,
    hour_of_day,
    lexicon,
    marks_found,
    month_day,
    part_of_day,
    recurring,
    weekday,
    weekend_of,
)
from extraction.temporal.expressions_en import bare, decade, month_of, since_days, year_named
from extraction.temporal.holidays import holidays
from extraction.temporal.intervals import Edge, Unit, lately, season
from extraction.temporal.lexicon_en import FEW_FROM, FEW_TO, UNIT_RANK, any_of, away, between, half_away
from extraction.text.languages import written_language
from extraction.text.name_forms import simplified_characters
from extraction.text.toml_files import toml_of
from schema.result_cache import cached_by_chars

# Numbers in templates.
_NUMBERED: Final = {
    "d": r"(?P<d>[12]\d|3[01]|0?[1-9])",
    "d2": r"(?P<d2>[12]\d|3[01]|0?[1-9])",
    "mn": r"(?P<mn>1[0-2]|0?[1-9])",
    "y": r"(?P<y>(?:19|20)\d\d)",
    "decade": r"(?P<y>(?:(?:19|20)\d|[2-9])0)",
}
_PATTERNS: Final = ("now", "former", "since", "past", "future", "habit", "speaking")
_UNACCENTED: Final = str.maketrans("áàâäãçéèêëíìîïñóòôöõúùûüý", "aaaaaceeeeiiiinooooouuuuy")
_CHARS_KEPT, _TEXTS_KEPT = 200_000, 64
_Meaning = TypeVar("_Meaning")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeTable:
    """The table of one language, as patterns for text normalized by `phrases.plain`.

    Attributes:
        now, former: words of questions about what holds now, or held before.
        since: words directly before a time that has begun.
        past, future, habit, speaking: words of statements and questions about what was, will be, recurs, or was said.
    """

    lexicons: tuple[Lexicon, ...]
    now: re.Pattern[str]
    former: re.Pattern[str]
    since: re.Pattern[str]
    past: re.Pattern[str]
    future: re.Pattern[str]
    habit: re.Pattern[str]
    speaking: re.Pattern[str]


@cached_by_chars(chars_max=_CHARS_KEPT, entries_max=_TEXTS_KEPT)
def table_of(text: str) -> TimeTable | None:
    """Return the table of the language in which a text is written; None for English, Chinese and other languages."""
    return _table(written_language(text))


def marks_in(text: str, table: TimeTable) -> list[Mark]:
    """Return the marks of a text normalized by `plain`, in order and without overlaps; accents may be missing."""
    return marks_found(text.translate(_UNACCENTED), table.lexicons)


@cache
def _tables() -> Mapping[str, Any]:
    return toml_of("extraction.temporal", "languages.toml")


@cache
def _table(language: str) -> TimeTable | None:
    own = _tables().get(language)
    if own is None:
        return None
    words = _Words(own)
    makers = words.makers()
    lexemes = [(words.pattern(template), makers[kind]) for kind, template in own["expressions"]]
    named = ((words.pattern(names), _holiday(of_year)) for names, of_year in holidays(own["holidays"]))
    patterns = {name: re.compile(_folded(own[name])) for name in _PATTERNS}
    return TimeTable(lexicons=(lexicon(".", *lexemes, *named),), **patterns)


def _folded(text: str) -> str:
    """Fold Japanese characters as `plain` folds those of texts."""
    return text.translate(simplified_characters())


def _unaccented(text: str) -> str:
    """Fold the forms and templates of expressions as `marks_in` folds texts."""
    return _folded(text).translate(_UNACCENTED)


def _by_form(table: Mapping[str, str], read: Callable[[str], _Meaning]) -> dict[str, _Meaning]:
    """Return what each form of `{meaning: "form|form"}` means."""
    return {form: read(meaning) for meaning, forms in table.items() for form in _unaccented(forms).split("|")}


def _holiday(of_year: Callable[[int], Any]) -> Callable[[re.Match[str]], Marks]:
    return lambda _match: bare(Rank.DAY, recurring(of_year), None)


class _Words:
    """The words of a language, and functions from a match of a template to its marks."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._spaced: bool = table["spaced"]
        self._months = _numbers(table["months"], first=1)
        self._weekdays = _numbers(table["weekdays"])
        self._counts = _by_form(table["numbers"], int)
        self._few = frozenset(_unaccented(table["few"]).split("|"))
        self._units = _by_form(table["units"], Unit)
        self._steps = _by_form(table["steps"], int)
        self._days = _by_form(table["days"], int)
        self._seasons = _by_form(table["seasons"], int)
        self._parts = _by_form(table["parts"], _hours)
        self._edges = _by_form(table["edges"], Edge)
        self._eras: dict[str, int] = table.get("eras", {})
        self._alone = re.compile(table["alone"])
        self._patterns = _NUMBERED | {
            "month": f"(?P<month>{any_of(self._months)})",
            "weekday": f"(?P<weekday>{any_of(self._weekdays)})",
            "n": rf"(?P<n>\d{{1,3}}|{any_of((*self._counts, *self._few))})",
            "h": rf"(?P<h>\d{{1,2}}|{any_of(self._counts)})",
            "unit": f"(?P<unit>{any_of(self._units)})",
            "step": f"(?P<step>{any_of(self._steps)})",
            "day": f"(?P<day>{any_of(self._days)})",
            "season": f"(?P<season>{any_of(self._seasons)})",
            "part": f"(?P<part>{any_of(self._parts)})",
            "edge": f"(?P<edge>{any_of(self._edges)})",
        }

    def pattern(self, template: str) -> re.Pattern[str]:
        """Return the pattern of a template; words are whole ones where the language has spaces."""
        filled = re.sub(r"\{([a-z]\w*)\}", lambda name: self._patterns[name[1]], _unaccented(template))
        return re.compile(rf"(?<!\w)(?:{filled})(?:(?<=-)|(?!\w))" if self._spaced else rf"(?<!\d)(?:{filled})")

    def makers(self) -> dict[str, Callable[[re.Match[str]], Marks]]:
        """Return the function of each kind of template."""
        return {
            "date": self._date,
            "month": self._month,
            "year": lambda match: year_named(int(match["y"]), self._alone),
            "day": lambda match: self._with_part(match, away(Unit.DAY, self._days.get(match["day"], 0))),
            "free year": lambda match: year_named(int(match["y"])),
            "era": lambda match: year_named(self._eras[match["era"]] + (int(match["n"]) if match["n"] != "元" else 1)),
            "decade": decade,
            "day of month": lambda match: bare(Rank.DAY, day_of_month(int(match["d"])), None),
            "ago": lambda match: self._distance(match, -1),
            "ahead": lambda match: self._distance(match, 1),
            "fortnight ago": lambda _match: away(Unit.WEEK, -2),
            "half ago": lambda match: half_away(self._units[match["unit"]], 0, -1),
            "and a half ago": lambda match: half_away(
                self._units[match["unit"]], self._count(match.groupdict().get("n", "1")) or 1, -1
            ),
            "last": lambda match: self._window(match, 1),
            "next": lambda match: self._window(match, -1),
            "stepped": self._stepped,
            "weekday": self._weekday,
            "weekend": lambda _match: replace(bare(Rank.DAY, weekend_of(), None), general=True),
            "season": self._season,
            "edge": self._edge,
            "part": self._part,
            "hour": self._hour,
            "half hour": lambda match: self._hour(match, -1),
            "lately": lambda _match: Mark(rank=Rank.WEEK, narrow=fixed(since_days(-30, 1)), vague=True),
            # Words that are no time, whatever they look like: "los viernes".
            "never": lambda match: Mark(rank=Rank.WIDER, narrow=lambda _scope, _frame: None, never_alone=True),
        }

    def _with_part(self, match: re.Match[str], mark: Mark) -> Marks:
        """Return a day with the part of it that follows, or that its own word names: "anoche", 今朝, not "mañana"."""
        own = match[0] if self._days.get(match[0], 1) <= 0 else ""
        hours = self._parts.get(match.groupdict().get("part") or own)
        return [mark, Mark(rank=Rank.PART, narrow=part_of_day(*hours))] if hours else mark

    def _weekday(self, match: re.Match[str]) -> Marks:
        return self._with_part(match, bare(Rank.DAY, weekday(self._weekdays[match["weekday"]]), None))

    def _date(self, match: re.Match[str]) -> Marks:
        """Read a day of a month, or days from `d` to `d2`; without a number the first is meant ("1er mai")."""
        groups = match.groupdict()
        first, month, year = int(groups["d"] or 1), self._month_number(groups), groups.get("y")
        last = int(groups.get("d2") or first)
        # Raises for a day that no year has.
        datetime(2024, month, last)
        narrow = recurring(month_day(month, first, last))
        mark = Mark(rank=Rank.DAY, narrow=narrow, bare=not year, dated=True)
        return [mark, year_named(int(year))] if year else mark

    def _month_number(self, groups: Mapping[str, str | None]) -> int:
        name = groups.get("month")
        return self._months[name] if name else int(groups["mn"] or 0)

    def _month(self, match: re.Match[str]) -> Marks:
        month = self._month_number(match.groupdict())
        return Mark(rank=Rank.MONTH, narrow=recurring(month_of(month)), bare=True, dated=True, alone=self._alone)

    def _count(self, word: str) -> int | None:
        """Return the value of a number; None for a few, and for the plural without a number."""
        if not word or word in self._few:
            return None
        return int(word) if word.isdigit() else self._counts[word]

    def _distance(self, match: re.Match[str], sign: int) -> Marks:
        unit, count = self._units[match["unit"]], self._count(match["n"])
        return between(unit, sign * FEW_FROM, sign * FEW_TO) if count is None else away(unit, sign * count)

    def _window(self, match: re.Match[str], sign: int) -> Marks:
        unit, count = self._units[match["unit"]], self._count(match.groupdict().get("n", "1"))
        narrow = fixed(lambda now: lately(unit, sign * (count or FEW_TO), now))
        return Mark(rank=UNIT_RANK[unit], narrow=narrow, vague=count is None)

    def _stepped(self, match: re.Match[str]) -> Marks:
        step, groups = self._steps[match["step"]], match.groupdict()
        if groups.get("unit"):
            unit = self._units[groups["unit"]]
            return Mark(rank=Rank.DAY, narrow=weekend_of(step)) if unit is Unit.WEEKEND else away(unit, step)
        if groups.get("weekday"):
            return self._with_part(match, Mark(rank=Rank.DAY, narrow=weekday(self._weekdays[groups["weekday"]], step)))
        if groups.get("month"):
            return Mark(rank=Rank.MONTH, narrow=recurring(month_of(self._months[groups["month"]]), step))
        first = self._seasons[groups["season"]]
        return Mark(rank=Rank.SEASON, narrow=recurring(lambda number: season(number, first), step))

    def _season(self, match: re.Match[str]) -> Marks:
        first = self._seasons[match["season"]]
        mark = bare(Rank.SEASON, recurring(lambda number: season(number, first)), self._alone)
        return replace(mark, general=True)

    def _edge(self, match: re.Match[str]) -> Marks:
        word = match.groupdict().get("unit")
        unit = self._units[word] if word else None
        narrow = edge_of(self._edges[match["edge"]], unit)
        return Mark(rank=Rank.EDGE, narrow=narrow, bare=unit is not None, never_alone=unit is None)

    def _hour(self, match: re.Match[str], more: int = 0) -> Marks:
        hour = (self._count(match["h"]) or 0) + more
        return Mark(rank=Rank.HOUR, narrow=hour_of_day(hour), never_alone=True) if 0 <= hour <= 24 else None

    def _part(self, match: re.Match[str]) -> Marks:
        return Mark(rank=Rank.PART, narrow=part_of_day(*self._parts[match["part"]]), never_alone=True)


def _numbers(words: Sequence[str], first: int = 0) -> dict[str, int]:
    return {form: number for number, forms in enumerate(words, first) for form in _unaccented(forms).split("|")}


def _hours(text: str) -> tuple[int, int]:
    first, last = text.split("-")
    return int(first), int(last)
