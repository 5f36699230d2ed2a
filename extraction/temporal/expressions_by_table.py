"""Time expressions by the tables of `languages.toml`. Pure.

A table has the words of a language by their meaning, and templates of expressions in which `{unit}`, `{month}` and the
like stand for these words. What an expression means follows from the kind of its template, alike in all languages.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, partial
from typing import Any, Final, TypeVar

from extraction.temporal.expressions import (
    FEW_FROM,
    FEW_TO,
    UNIT_RANK,
    Lexeme,
    Lexicon,
    Mark,
    Marks,
    Rank,
    away,
    between,
    day_of_month,
    edge_of,
    fixed,
    half_away,
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
from extraction.temporal.holidays import OfYear, holidays, lunar_date
from extraction.temporal.intervals import DAY, Edge, Interval, Unit, day, lately, months, moved, shifted, year
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
_CJK: Final = re.compile(r"[\u4e00-\u9fff]")
_LATIN: Final = re.compile(r"[a-z0-9]")
# Half of a unit in whole smaller ones.
_HALVES: Final = {Unit.YEAR: (Unit.MONTH, 6), Unit.MONTH: (Unit.DAY, 15), Unit.DAY: (Unit.HOUR, 12)}
# 前几天 means the seven days before today.
_JUST_BEFORE_DAYS: Final = 7
_Match = re.Match[str]
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


def marks_in(text: str) -> list[Mark]:
    """Return the marks of a text normalized by `plain`, in order and without overlaps; accents may be missing.

    English and Chinese expressions often stand in one text; where they overlap, the Chinese one wins.
    """
    if (table := table_of(text)) is not None:
        return marks_found(text.translate(_UNACCENTED), table.lexicons)
    chinese = _lexicons("zh") if _CJK.search(text) else ()
    return marks_found(text, (*chinese, *(_lexicons("en") if _LATIN.search(text) else ())))


@cache
def _tables() -> Mapping[str, Any]:
    return toml_of("extraction.temporal", "languages.toml")


@cache
def _table(language: str) -> TimeTable | None:
    own = _tables().get(language, {})
    if "past" not in own:
        return None
    return TimeTable(lexicons=_lexicons(language), **{name: re.compile(_folded(own[name])) for name in _PATTERNS})


@cache
def words_of(language: str) -> "Words":
    """Return the words of a language that has a table."""
    return Words(_tables()[language])


@cache
def _lexicons(language: str) -> tuple[Lexicon, ...]:
    """Return the expressions of a language; a "gate" is the quick check for those that follow it."""
    own, words = _tables()[language], words_of(language)
    groups: list[tuple[str, list[Lexeme]]] = [(".", [])]
    for kind, template, *more in own["expressions"]:
        if kind == "gate":
            groups.append((words.filled(template), []))
        else:
            groups[-1][1].extend(words.lexemes(kind, template, *more))
    return tuple(lexicon(gate, *lexemes) for gate, lexemes in groups if lexemes)


def _folded(text: str) -> str:
    """Fold Japanese characters as `plain` folds those of texts."""
    return text.translate(simplified_characters())


def _unaccented(text: str) -> str:
    """Fold the forms and templates of expressions as `marks_in` folds texts."""
    return _folded(text).translate(_UNACCENTED)


def _by_form(table: Mapping[str, str], read: Callable[[str], _Meaning]) -> dict[str, _Meaning]:
    """Return what each form of `{meaning: "form|form"}` means."""
    return {form: read(meaning) for meaning, forms in table.items() for form in _unaccented(forms).split("|")}


class Words:
    """The words of a language, and functions from a match of a template to its marks."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._spaced: bool = table["spaced"]
        self._months = _numbers(table["months"], first=1)
        self.weekdays = _numbers(table["weekdays"])
        self._counts = _by_form(table["numbers"], int)
        if ten := table.get("ten"):
            self._counts |= _with_tens(self._counts, ten)
        self._few = frozenset(_unaccented(table["few"]).split("|"))
        self.units = _by_form(table["units"], Unit)
        self._nth = _by_form(table.get("nth", {}), int)
        self._steps = _by_form(table["steps"], int)
        self._days = _by_form(table["days"], int)
        self._seasons = _by_form(table["seasons"], _bounds)
        self._parts = _by_form(table["parts"], _bounds)
        self._edges = _by_form(table["edges"], Edge)
        self._eras: dict[str, int] = table.get("eras", {})
        self._holidays = holidays(table["holidays"])
        whole = "" if self._spaced else r"(?<!\d)"
        self._patterns = {name: whole + pattern for name, pattern in _NUMBERED.items()} | {
            "month": f"(?P<month>{any_of(self._months)})",
            "weekday": f"(?P<weekday>{any_of(self.weekdays)})",
            "n": rf"(?P<n>{whole}\d{{1,3}}|{any_of((*self._counts, *self._few))})",
            "h": rf"(?P<h>{whole}\d{{1,2}}|{any_of(self._counts)})",
            "unit": f"(?P<unit>{any_of(self.units)})",
            "nth": f"(?P<nth>{any_of(self._nth)})",
            "step": f"(?P<step>{any_of(self._steps)})",
            "day": f"(?P<day>{any_of(self._days)})",
            "season": f"(?P<season>{any_of(self._seasons)})",
            "part": f"(?P<part>{any_of(self._parts)})",
            "edge": f"(?P<edge>{any_of(self._edges)})",
        }
        for name, template in table.get("patterns", {}).items():
            self._patterns[name] = self.filled(_unaccented(template))
        alone = {kinds: re.compile(self.filled(words)) for kinds, words in table["alone"].items()}
        self._alone = {kind: words for kinds, words in alone.items() for kind in kinds.split("|")}

    def filled(self, template: str) -> str:
        """Return a template with the patterns that its names stand for."""
        return re.sub(r"\{([a-z]\w*)\}", lambda name: self._patterns[name[1]], template)

    def lexemes(self, kind: str, template: str, *more: Any) -> Iterator[Lexeme]:
        """Yield the expressions of a template, of which words are whole ones where the language has spaces.

        Args:
            more: arguments of the kind, or another kind whose words must stand before it if it stands alone.
        """
        alone = self._alone.get(more[0] if more and isinstance(more[0], str) else kind)
        make = partial(self._makers()[kind], *(one for one in more if not isinstance(one, str)))
        for names, of_year in self._holidays if kind == "holiday" else (("", None),):
            maker = make if of_year is None else partial(make, of_year)
            filled = self.filled(_unaccented(template.replace("{name}", f"(?:{names})")))
            yield (
                re.compile(rf"(?<!\w)(?:{filled})(?:(?<=-)|(?!\w))" if self._spaced else filled),
                maker if alone is None else partial(_with_alone, maker, alone),
            )

    def _makers(self) -> dict[str, Callable[..., Marks]]:
        """Return the function of each kind of template."""
        return {
            "date": self._date,
            "month": self._month,
            "year": lambda match: _year_named(self.number(match["y"])),
            "free year": lambda match: _year_named(self.number(match["y"])),
            "short year": lambda match: replace(_year_named(self.number(match["y"])), never_alone=True),
            "era": lambda match: _year_named(self._eras[match["era"]] + (int(match["n"]) if match["n"] != "元" else 1)),
            "decade": self._decade,
            "lunar": self._lunar,
            "holiday": self._holiday,
            "day": lambda match: self._with_part(match, away(Unit.DAY, self._days.get(match["day"], 0))),
            "day of month": self._day_of_month,
            # Next to another time only.
            "day of that month": lambda match: replace(self._day_of_month(match), never_alone=True),
            "ago": lambda match: self._distance(match, -1),
            "ahead": lambda match: self._distance(match, 1),
            "half ago": lambda match: half_away(self.units[match["unit"]], 0, -1),
            "half ahead": lambda match: half_away(self.units[match["unit"]], 0, 1),
            "about a year ago": lambda _match: _vague(_a_year_ago),
            "last": lambda match: self._window(match, 1),
            "next": lambda match: self._window(match, -1),
            "just before": self._just_before,
            "just now": lambda _match: _vague(lambda now: lately(Unit.HOUR, 1, now)),
            "lately": lambda *days_and_match: _vague(_days_around(*(days_and_match[:-1] or (-30, 1)))),
            "earlier": lambda match: self._part_of_this(match, earlier=True),
            "later": lambda match: self._part_of_this(match, earlier=False),
            "nth": self._nth_of,
            "quarter": self._quarter,
            "stepped": self._stepped,
            "weekday": lambda match: self._with_part(match, self._bare_weekday(match)),
            "weekend": lambda _match: Mark(rank=Rank.DAY, narrow=weekend_of(), bare=True, general=True),
            "week around": lambda _match: Mark(rank=Rank.WIDER, narrow=week_around),
            "season": self._season,
            "edge": self._edge,
            # Next to that time only: 2023年底.
            "edge of that": lambda match: replace(self._edge(match), never_alone=True),
            "part": self._part,
            "hour": self._hour,
            "half hour": lambda match: self._hour(match, -1),
            # Words that are no time, whatever they look like: "los viernes".
            "never": lambda match: Mark(rank=Rank.WIDER, narrow=lambda _scope, _frame: None, never_alone=True),
        }

    def count(self, word: str) -> int | None:
        """Return the value of a number; None for a few, and for the plural without a number."""
        return None if not word or word in self._few else self.number(word)

    def number(self, word: str) -> int:
        """Return the value of a number in digits, in a word, or in one word for each digit: 二零二三."""
        if word.isdigit():
            return int(word)
        return self._counts[word] if word in self._counts else int("".join(str(self._counts[one]) for one in word))

    def _weekday(self, match: _Match) -> int:
        return self.weekdays[match["weekday"]]

    def _bare_weekday(self, match: _Match) -> Mark:
        return Mark(rank=Rank.DAY, narrow=weekday(self._weekday(match)), bare=True)

    def _day_of_month(self, match: _Match) -> Mark:
        return Mark(rank=Rank.DAY, narrow=day_of_month(self.number(match["d"])), bare=True)

    def _with_part(self, match: _Match, mark: Mark) -> Marks:
        """Return a day with the part of it that follows, or that its own word names: "anoche", 今朝, not "mañana"."""
        own = match[0] if self._days.get(match[0], 1) <= 0 else ""
        hours = self._parts.get(match.groupdict().get("part") or own)
        return [mark, Mark(rank=Rank.PART, narrow=part_of_day(*hours))] if hours else mark

    def _date(self, match: _Match) -> Marks:
        """Read a day of a month, or days from `d` to `d2`; without a number the first is meant ("1er mai")."""
        groups = match.groupdict()
        first, month = self.number(groups["d"] or "1"), self._month_number(groups)
        last = self.number(groups.get("d2") or groups["d"] or "1")
        # Raises for a day that no year has.
        datetime(2024, month, last)
        mark = Mark(rank=Rank.DAY, narrow=recurring(month_day(month, first, last)), bare=True, dated=True)
        return self._in_year(match, mark) if first <= last else None

    def _month(self, match: _Match) -> Marks:
        narrow = recurring(_months_of(self._month_number(match.groupdict())))
        return self._in_year(match, Mark(rank=Rank.MONTH, narrow=narrow, bare=True, dated=True))

    def _in_year(self, match: _Match, mark: Mark) -> Marks:
        """Return a date with the year that follows or precedes it."""
        named = match.groupdict().get("y")
        return [replace(mark, bare=False), _year_named(self.number(named))] if named else mark

    def _month_number(self, groups: Mapping[str, str | None]) -> int:
        name = groups.get("month")
        return self._months[name] if name else self.number(groups["mn"] or "")

    def _decade(self, match: _Match) -> Marks:
        number = self.number(match["y"])
        first = number if number > 99 else number + (2000 if number < 30 else 1900)
        return Mark(rank=Rank.DECADE, narrow=fixed(lambda _now: year(first, 10)))

    def _lunar(self, match: _Match) -> Marks:
        """Read 农历八月十五, 正月初三, 腊月廿三."""
        number = self.number(match["d"].replace("初", "").replace("廿", "二十"))
        return Mark(rank=Rank.DAY, narrow=recurring(lunar_date(self._months[match["month"]], number)), bare=True)

    def _holiday(self, of_year: OfYear, match: _Match) -> Marks:
        step = match.groupdict().get("step")
        return Mark(rank=Rank.DAY, narrow=recurring(of_year, self._steps[step] if step else None), bare=not step)

    def _distance(self, match: _Match, sign: int) -> Marks:
        groups = match.groupdict()
        count = self.count(groups.get("n", "1"))
        if groups.get("weekday"):
            return Mark(rank=Rank.DAY, narrow=weekday(self._weekday(match), sign * count)) if count else None
        unit = self.units[groups["unit"]]
        if count is None:
            return between(unit, sign * FEW_FROM, sign * FEW_TO)
        if groups.get("n2"):
            return between(unit, sign * count, sign * self.number(groups["n2"]))
        if groups.get("half") or groups.get("half2"):
            return half_away(unit, count, sign)
        if groups.get("today"):
            return Mark(rank=Rank.DAY, narrow=fixed(lambda now: day(shifted(now, unit, sign * count))))
        return away(unit, sign * count)

    def _window(self, match: _Match, sign: int) -> Marks:
        unit, groups = self.units[match["unit"]], match.groupdict()
        count = None if groups.get("half") else self.count(groups.get("n", "1"))
        vague = not groups.get("half") and count is None
        if groups.get("half"):
            if unit not in _HALVES:
                return None
            unit, count = _HALVES[unit]
        narrow = fixed(lambda now: lately(unit, sign * (count or FEW_TO), now))
        return Mark(rank=UNIT_RANK[unit], narrow=narrow, vague=vague)

    def _just_before(self, match: _Match) -> Marks:
        """Read 前几天, 前两天 as days before today."""
        unit = self.units[match["unit"]]
        count = self.count(match["n"]) or (_JUST_BEFORE_DAYS if unit is Unit.DAY else FEW_TO)
        narrow = fixed(lambda now: Interval(shifted(day(now).start, unit, -count), day(now).start))
        return Mark(rank=UNIT_RANK[unit], narrow=narrow, vague=True)

    def _nth_of(self, match: _Match) -> Marks:
        """Read "the first week", "the second weekend", 最后一个周五 of a month."""
        nth, groups = self._nth[match["nth"]], match.groupdict()
        if groups.get("weekday"):
            return Mark(rank=Rank.DAY, narrow=weekday(self._weekday(match), nth=nth), never_alone=True)
        if self.units[groups["unit"]] is Unit.WEEKEND:
            return Mark(rank=Rank.DAY, narrow=weekend_of(nth=nth), never_alone=True)
        return Mark(rank=Rank.WEEK, narrow=nth_week(nth), never_alone=True)

    def _quarter(self, match: _Match) -> Marks:
        word = match.groupdict().get("nth")
        nth = self._nth[word] if word else self.number(match["n"])
        narrow = recurring(_months_of(3 * (nth if nth > 0 else 4) - 2, 3))
        return Mark(rank=Rank.SEASON, narrow=narrow, bare=True, general=True)

    def _stepped(self, match: _Match) -> Marks:
        step, groups = self._steps[match["step"]], match.groupdict()
        if groups.get("weekend") or self.units.get(groups.get("unit") or "") is Unit.WEEKEND:
            return Mark(rank=Rank.DAY, narrow=weekend_of(step))
        if groups.get("unit"):
            that = away(self.units[groups["unit"]], step)
            # 上周三 is in last week; "last Wednesday" is the last one.
            return [that, self._bare_weekday(match)] if groups.get("weekday") else that
        if groups.get("weekday"):
            return self._with_part(match, Mark(rank=Rank.DAY, narrow=weekday(self._weekday(match), step)))
        if groups.get("month"):
            return Mark(rank=Rank.MONTH, narrow=recurring(_months_of(self._months[groups["month"]]), step))
        return Mark(rank=Rank.SEASON, narrow=recurring(self._season_of(match), step))

    def _season_of(self, match: _Match) -> OfYear:
        first, end = self._seasons[match["season"]]
        return _months_of(first, end - first)

    def _season(self, match: _Match) -> Marks:
        return Mark(rank=Rank.SEASON, narrow=recurring(self._season_of(match)), bare=True, general=True)

    def _part_of_this(self, match: _Match, *, earlier: bool) -> Mark:
        """Read "earlier this week" (until today) and "later this week" (from today)."""
        unit = self.units[match["unit"]] if match["unit"] else Unit.DAY

        def make(now: datetime) -> Interval:
            here, today = moved(unit, 0, now), day(now)
            return Interval(here.start, today.end) if earlier else Interval(today.start, here.end)

        return Mark(rank=UNIT_RANK[unit], narrow=fixed(make))

    def _edge(self, match: _Match) -> Mark:
        word, edge = match.groupdict().get("unit"), self._edges[match["edge"]]
        unit = self.units[word] if word else None
        # A month may follow the edge of a year: 年底12月.
        of_year = unit is Unit.YEAR and edge not in (Edge.FIRST_HALF, Edge.SECOND_HALF)
        rank = Rank.SEASON if of_year else Rank.EDGE
        return Mark(rank=rank, narrow=edge_of(edge, unit), bare=unit is not None, never_alone=unit is None)

    def _hour(self, match: _Match, more: int = 0) -> Marks:
        hour = (self.count(match["h"]) or 0) + more
        if half := match.groupdict().get("half"):
            hour = hour % 12 + (12 if half == "p" else 0)
        return Mark(rank=Rank.HOUR, narrow=hour_of_day(hour), never_alone=True) if 0 <= hour <= 24 else None

    def _part(self, match: _Match) -> Marks:
        return Mark(rank=Rank.PART, narrow=part_of_day(*self._parts[match["part"]]), never_alone=True)


def _with_alone(maker: Callable[[_Match], Marks], alone: re.Pattern[str], match: _Match) -> Marks:
    """Return a mark with what must stand before it if it stands alone; a mark with a step or a year needs nothing."""
    mark = maker(match)
    return replace(mark, alone=alone) if isinstance(mark, Mark) and not match.groupdict().get("step") else mark


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for these words; longer ones come first."""
    return "|".join(sorted(words, key=len, reverse=True))


def _months_of(first: int, count: int = 1) -> OfYear:
    return lambda number: months(number, first, count)


def _days_around(first: int, end: int) -> Callable[[datetime], Interval]:
    return lambda now: Interval(day(now).start + first * DAY, day(now).start + end * DAY)


def _a_year_ago(now: datetime) -> Interval:
    """Return the day a year ago, with a week on either side."""
    then = day(shifted(now, Unit.YEAR, -1))
    return Interval(then.start - 7 * DAY, then.end + 7 * DAY)


def _vague(make: Callable[[datetime], Interval]) -> Mark:
    return Mark(rank=Rank.WEEK, narrow=fixed(make), vague=True)


def _year_named(number: int) -> Mark:
    """Return the mark of a year, also of one written in two digits."""
    number += 0 if number > 99 else 2000 if number < 70 else 1900
    return Mark(rank=Rank.YEAR, narrow=fixed(lambda _now: year(number)))


def _with_tens(ones: Mapping[str, int], ten: str) -> dict[str, int]:
    """Return the numbers below 100 that a word for ten joins: 十五, 二十, 三十一."""
    tens, ones = {"": 1, **ones}, {"": 0, **ones}
    return {f"{a}{ten}{b}": 10 * n + m for a, n in tens.items() for b, m in ones.items()}


def _numbers(words: Sequence[str], first: int = 0) -> dict[str, int]:
    return {form: number for number, forms in enumerate(words, first) for form in _unaccented(forms).split("|")}


def _bounds(text: str) -> tuple[int, int]:
    first, end = text.split("-")
    return int(first), int(end)
