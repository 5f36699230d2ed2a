"""Find the options that a message lists: "1. Otter, 2. Wren", "the Bauer, the CCM or a cheap one?". Pure."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from extraction.text.chinese import HAN_OR_KANA
from extraction.text.toml_files import patterns_of, toml_of

_LIST_CHARS_MAX: Final = 2_000
_OPTIONS_MAX: Final = 12
# Of options in a sentence.
_IN_SENTENCE_MAX: Final = 6
_WORDS_MAX: Final = 9
_IN_SENTENCE_CHARS_MAX: Final = 60
# Of a message of the assistant that lists options without asking.
_TOLD_CHARS_MAX: Final = 400
_IN_SENTENCE_CHARS_MAX_CJK: Final = 16
# Options that are all this short ask without a question mark: "Ather or the Activa."
_SHORT_WORDS: Final = 4
# Of options behind a colon and words that ask, with "or".
_LISTED_WORDS_MAX, _LISTED_CHARS_MAX = 12, 80

_TABLES: Final = toml_of("extraction.text", "options.toml")
_PATTERNS: Final = patterns_of(_TABLES["patterns"], {**_TABLES["parts"], "cjk": HAN_OR_KANA})
_HAN_DIGITS: Final = "一二三四五六"
_LETTERS: Final = "ABCDEF"
_NUMBERS: Final = ("one", "two", "three", "four", "five", "six")
_OR: Final = r"(?:or|oder|ou|o)"
_AND: Final = r"(?:and|und|et|y|e|sowie)"
_HAS_OR: Final = re.compile(rf"(?:^|[\s,;]){_OR}\s", re.I)
_BETWEEN: Final = {
    mark: re.compile(rf"\s*[{mark}](?!\d{{3}})\s*(?:(?:{_OR}|{_AND})\s+)?|\s+{_OR}\s+", re.I) for mark in (",", ";")
}
_MARKS: Final = " \t\"'“”‘’«»《》「」.,;，。；、"


def list_items(text: str) -> list[re.Match[str]]:
    """Return the marks of the items of a list, all of one kind and numbered in order; none if it is no list."""
    found = list(_PATTERNS["item"].finditer(text[:_LIST_CHARS_MAX]))
    for kind in ("n", "circled", "han", "letter", "small", "inline", "named", "bare", None):
        marks = [mark for mark in found if mark.lastgroup == kind]
        in_order = kind is None or all(_value(mark[kind]) == n for n, mark in enumerate(marks, 1))
        if 2 <= len(marks) <= _OPTIONS_MAX and in_order:
            return marks
    return []


def _value(mark: str) -> int:
    if mark.lower() in _NUMBERS:
        return _NUMBERS.index(mark.lower()) + 1
    for numbers in (_HAN_DIGITS, _LETTERS):
        if mark.upper() in numbers:
            return numbers.index(mark.upper()) + 1
    return int(mark) if mark.isdecimal() else ord(mark) - ord("①") + 1


def options_in(text: str) -> list[str]:
    """Return the options of a list in a message, with their details; none if it lists none, or questions."""
    marks = list_items(text)
    ends = [*(mark.start() for mark in marks[1:]), len(text)] if marks else []
    options = [text[mark.end() : end].strip().partition("\n")[0] for mark, end in zip(marks, ends, strict=True)]
    asks = sum(option.endswith(("?", "？")) for option in options)
    return options if all(options) and asks < 2 else []


def options_in_sentence(text: str, *, asked: bool) -> list[str]:
    """Return the options that a message lists within a sentence.

    Args:
        asked: a user writes, who lists two or more, with "or" or after a question. Otherwise at least three count, with
            "or" in a short message, behind a colon if the message asks, or in Chinese or Japanese with 、.
    """
    text = text[:_LIST_CHARS_MAX]
    if asked and (speaker := _PATTERNS["speaker"].match(text)) and not _is_asking(speaker[0]):
        text = text[speaker.end() :]
    asks, is_told = _is_asking(text), not asked and len(text) <= _TOLD_CHARS_MAX
    if asks and asked and (options := options_in(text)):
        return options
    found = [one for one in _in_sentences(text, asks=asks, is_told=is_told) if one.options]
    if asked:
        found = [one for one in found if one.has_or or one.is_asked]
    else:
        shown = (one for one in found if len(one.options) > 2)
        found = [one for one in shown if (one.is_list and asks) or (one.has_or and is_told)]
    return max(found, key=lambda one: one.has_or, default=_Sentence([])).options


def _is_asking(text: str) -> bool:
    lower = text.lower()
    return any(pattern.search(lower) for pattern in _asking())


@cache
def _asking() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(words["asks"]) for words in toml_of("extraction.text", "choices.toml").values())


class _Sentence(NamedTuple):
    """The options of a sentence; whether it is a list behind a colon, has "or", and words before it ask."""

    options: list[str]
    is_list: bool = False
    has_or: bool = True
    is_asked: bool = True


def _in_sentences(text: str, *, asks: bool, is_told: bool) -> Iterator[_Sentence]:
    parts, lead = ["", *_PATTERNS["sentence_end"].split(text)], ""
    for before, sentence, after in zip(parts[::2], parts[1::2], [*parts[2::2], ""], strict=True):
        is_asked = _is_asking(lead)
        lead = sentence
        if re.search(rf"[{HAN_OR_KANA}]", sentence):
            is_list = is_asked and before in (":", "：")
            told = _told_cjk(sentence, is_list=is_list) if is_told or is_list else []
            yield _Sentence(told or (_in_sentence_cjk(sentence) if asks else []))
        else:
            options = _in_sentence(sentence, is_list=before.strip() == ":", asks=asks or is_told or after == "?")
            yield options._replace(is_asked=is_asked)


def _in_sentence(sentence: str, *, is_list: bool, asks: bool) -> _Sentence:
    has_or = _HAS_OR.search(sentence) is not None
    options = [part.strip(_MARKS) for part in _BETWEEN[";" if ";" in sentence else ","].split(sentence)]
    if is_list and not has_or and len(last := re.split(rf"\s{_AND}\s", options[-1])) == 2:
        options[-1:] = last
    options = [option for option in (_PATTERNS["lead"].sub("", option) for option in options) if option]
    while len(options) > 2 and _is_asking(options[0]):
        # "What do you think, oak, beech or ash?"
        del options[0]
    sizes = [len(option.split()) for option in options]
    if not (has_or or is_list) or not 2 + (not has_or) <= len(options) <= _IN_SENTENCE_MAX:
        return _Sentence([])
    if not is_list and sizes[0] > max(sizes[1:]) and not options[0].istitle():
        # "Shall I take the train or the bus?", but not "Di Sarli or Pugliese?"
        longest = max(sizes[1:])
        options[0] = " ".join(options[0].split()[-longest:])
        sizes[0] = longest if asks else len(sentence)
    words_max, chars_max = _WORDS_MAX if asks else _SHORT_WORDS, _IN_SENTENCE_CHARS_MAX
    if is_list and has_or and asks:
        words_max, chars_max = _LISTED_WORDS_MAX, _LISTED_CHARS_MAX
    fit = all(len(option) <= chars_max for option in options)
    return _Sentence(options if fit and max(sizes) <= words_max else [], is_list, has_or)


def _in_sentence_cjk(sentence: str) -> list[str]:
    if of := _PATTERNS["of_so_many"].search(sentence):
        n = int(of[1]) if of[1].isdecimal() else _HAN_DIGITS.index(of[1].replace("两", "二")) + 1
        options = list(filter(None, re.split(r"[\s、，,；;]+", sentence[: of.start()])))[-n:]
        return options if len(options) == n and _are_short(options) else []
    if listed := _PATTERNS["listed_ja"].search(sentence):
        options = [part.strip("、 ") for part in re.split(r"(?:と|か)(?=、|[^、と]{2})", listed[1])]
        return options if len(options) > 1 and _are_short(options) else []
    if _PATTERNS["or_zh"].search(sentence):
        parts = [part for clause in _PATTERNS["or_zh"].split(sentence) for part in re.split(r"[、，,\s]+", clause)]
        options = [_PATTERNS["tail_zh"].sub("", _PATTERNS["lead_zh"].sub("", part)) for part in parts]
        options = [option for option in options if option]
        return options if 2 <= len(options) <= _IN_SENTENCE_MAX and _are_short(options) else []
    first, *options = _PATTERNS["told_or_cjk"].split(sentence)
    if len(options) > 1 and _PATTERNS["or_last"].search(sentence) and _is_asking(first):
        return options if len(options) <= _IN_SENTENCE_MAX and _are_short(options) else []
    return []


_QUOTED: Final = re.compile(r"[「『《]([^「」『』《》]{1,16})[」』》]")
_QUOTED_LIST: Final = re.compile(rf"(?:{_QUOTED.pattern}[、,，/・或かと]*){{3,{_IN_SENTENCE_MAX}}}")


def _told_cjk(sentence: str, *, is_list: bool) -> list[str]:
    """Return at least three options that an assistant lists: 可选:古城客栈、海屿民宿、全季酒店.

    Args:
        is_list: it stands behind a colon and words that ask.
    """
    if quoted := _QUOTED_LIST.search(sentence):
        return _QUOTED.findall(quoted[0])
    listed = _PATTERNS["offered_ja"].sub("", sentence)
    told = re.split(r"[:：]", _PATTERNS["aside"].sub("", listed))[-1]
    options = [part.strip(_MARKS) for part in _PATTERNS["told_or_zh"].split(told)]
    lists = is_list or _PATTERNS["or_last"].search(listed) is not None
    lists = lists or ("、" in sentence and (listed != sentence or _is_asking(sentence)))
    return options if lists and 3 <= len(options) <= _IN_SENTENCE_MAX and _are_short(options) else []


def _are_short(options: list[str]) -> bool:
    return all(0 < len(option) <= _IN_SENTENCE_CHARS_MAX_CJK for option in options)
