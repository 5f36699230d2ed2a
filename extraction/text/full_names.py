"""Find whole names of people in English text: three words or more, particles, accents, other scripts. Pure."""

import re
from collections.abc import Iterator
from typing import Final

from extraction.text.chinese import HAN
from extraction.text.lexicon_en import KIN_PATTERN, WORDS, word_set

_LISTS: Final = WORDS["full_names"]
_PARTICLES: Final = word_set(_LISTS["particles"])
_NO_NAMES: Final = word_set(_LISTS["no_names"])
_TITLES: Final = word_set(_LISTS["short_titles"])
_TOKEN: Final = re.compile(r"[^\W\d_][\w’'-]*\.?")
# Arabic, Hebrew, Hangul, Cyrillic, Greek, Devanagari, Thai and Japanese.
_OTHER_SCRIPT: Final = (
    r"[\u0590-\u06ff\u0750-\u077f\uac00-\ud7af\u1100-\u11ff\u0370-\u052f\u0900-\u097f\u0e00-\u0e7f\u3040-\u30ff]+"
)
FOREIGN_RUN: Final = re.compile(
    rf"(?<![A-Za-z])(?:[{HAN}]{{2,}}|{_OTHER_SCRIPT}(?: {_OTHER_SCRIPT}){{0,3}})(?![A-Za-z])"
)
# Words before or after a name of a person.
_BEFORE: Final = re.compile(
    rf"(?:\b(?:{KIN_PATTERN})(?:,| is| was|['’]s name is| is called| is named| called| named|:)?|"
    r"\b(?:married to|engaged to|dating|name is|named|called|met|this is)) $",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(r",? (?:is|was) (?:my|our|his|her|\w+['’]s)\b|, (?:my|our|his|her)\b", re.IGNORECASE)
_CONTEXT_CHARS: Final = 60


def name_runs(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of runs of capitalized words, which may have particles between them."""
    run: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text):
        word = token[0]
        adjacent = bool(run) and token.start() - run[-1].end() == 1 and text[run[-1].end()] == " "
        if run and (not adjacent or (run[-1][0].endswith(".") and not _is_short(run[-1][0]))):
            yield from _span(run)
            run = []
        is_name = word[0].isupper() and word.lower().rstrip(".") not in _NO_NAMES
        if is_name or (run and word.lower() in _PARTICLES):
            run.append(token)
        elif run:
            yield from _span(run)
            run = []
    yield from _span(run)


def long_names(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of names of people that have three words or more, or begin with an accented letter."""
    for start, end in name_runs(text):
        words = text[start:end].split()
        if len(words) < 3 and all(word[0].isascii() for word in words):
            continue
        before = text[max(0, start - _CONTEXT_CHARS) : start]
        if _BEFORE.search(before) or _AFTER.match(text, end):
            yield start, end


def whole_name(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """Return the run of capitalized words that contains a part of a name, else the span."""
    return next((run for run in name_runs(text) if run[0] <= span[0] and span[1] <= run[1]), span)


def _is_short(word: str) -> bool:
    return word.lower() in _TITLES or len(word) == 2


def _span(run: list[re.Match[str]]) -> Iterator[tuple[int, int]]:
    while run and run[-1][0].lower() in _PARTICLES:
        run = run[:-1]
    if run:
        last = run[-1][0]
        cut = len(last) - len(re.sub(r"(?:['’]s)?\.?$", "", last)) if not _is_short(last) else 0
        yield run[0].start(), run[-1].end() - cut
