"""English words for numbers, months, days and parts of the day, as patterns for lower-case text. Pure."""

import re

from extraction.stretches import Unit

MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        start=1,
    )
    for name in names.split()
}
WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mon",
            "tuesday tues tue",
            "wednesday wed",
            "thursday thurs thur thu",
            "friday fri",
            "saturday sat",
            "sunday sun",
        )
    )
    for name in names.split()
}
SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
STEPS = {"last": -1, "past": -1, "previous": -1, "this": 0, "this past": -1, "this coming": 1, "next": 1, "coming": 1}
ORDINALS = {
    word: number
    for number, words in {
        1: "first 1st",
        2: "second 2nd",
        3: "third 3rd",
        4: "fourth 4th",
        5: "fifth 5th",
        -1: "last final",
    }.items()
    for word in words.split()
}
PARTS = {
    "early morning": (4, 8),
    "morning": (5, 12),
    "noon": (11, 14),
    "lunchtime": (11, 14),
    "midday": (11, 14),
    "afternoon": (12, 18),
    "evening": (17, 22),
    "night": (18, 30),
    "midnight": (23, 25),
}
UNITS = {
    "minute": Unit.MINUTE,
    "hour": Unit.HOUR,
    "day": Unit.DAY,
    "week": Unit.WEEK,
    "weekend": Unit.WEEKEND,
    "month": Unit.MONTH,
    "quarter": Unit.QUARTER,
    "year": Unit.YEAR,
    "decade": Unit.DECADE,
}
_COUNTS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
NUMBERS = {word: number for number, word in enumerate(_COUNTS.split())} | {
    "a": 1,
    "an": 1,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "ninety": 90,
    "hundred": 100,
    "couple": 2,
    "dozen": 12,
}
# "A few" are two to five.
FEW = frozenset({"few", "several", "some", "many"})
FEW_FROM, FEW_TO = 2, 5


def _any(words: dict[str, int]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


MONTH = f"(?P<m>{_any(MONTHS)})"
WEEKDAY = f"(?P<wd>{_any({name: number for name, number in WEEKDAYS.items() if len(name) > 5})})"
# "Sun" and "sat" are days only after "last", "this" or "next".
WEEKDAY_SHORT = f"(?P<wd>{_any(WEEKDAYS)})"
SEASON = f"(?P<s>{_any(SEASONS)})"
ORDINAL = f"(?P<o>{_any(ORDINALS)})"
STEP = r"(?P<step>this past|this coming|last|past|previous|this|next|coming)"
UNIT = "(?P<u>minute|hour|day|weekend|week|month|quarter|year|decade)"
YEAR = r"(?P<y>(?:19|20)\d\d)"
NUMBER_OF_DAY = r"(?P<d>0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th)?"
COUNT = rf"(?P<n>\d{{1,3}}|{'|'.join(NUMBERS)}|few|several|some|many)"
# After "in 2,000" or "of 1984" these say that it was no year.
NO_YEAR = (
    r"(?![\d:.,]*\d)(?!\s*(?:%|people|men|women|words|dollars|euros|pounds|yuan|km|kilometers|miles|meters|metres|steps|"
    r"calories|photos|pages|books|times|points|hours|minutes|years|days|of us))"
)


def count_of(word: str) -> int | None:
    """The number a word says; None for "a few"."""
    return int(word) if word.isdigit() else NUMBERS.get(word)


def before(*words: str, article: bool = True) -> re.Pattern[str]:
    """What must stand before a word for it to be a time."""
    the = r"(?:the\s+)?" if article else ""
    return re.compile(rf"(?:^|[^a-z])(?:{'|'.join(words)})\s+{the}$")
