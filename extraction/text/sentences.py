"""Split Chinese and English text into sentences with character offsets, in linear time."""

import re
from dataclasses import dataclass
from typing import Final

from extraction.text.chinese import HAN

# Longer sentences are cut, which bounds the input of all patterns.
SENTENCE_CHARS_MAX = 600
_END = re.compile(r"[。！？!?…\n\r]|\.(?=[\s\"'”’)]|$)")
_CLOSERS = "。！？!?….\"'”’）)」』 \t"
_ABBREVIATIONS = frozenset({"mr", "mrs", "ms", "dr", "st", "vs", "prof", "jr", "sr", "etc", "e.g", "i.e", "no", "mt"})
_HAN: Final = re.compile(rf"[{HAN}]")
_QUESTION_TAIL = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """One sentence with its span: `text == message[start:end]`.

    Attributes:
        asks: the sentence ends with a question mark.
    """

    text: str
    start: int
    end: int
    asks: bool = False


def has_cjk(text: str) -> bool:
    """Return whether a text contains a Chinese character."""
    return _HAN.search(text) is not None


def split_sentences(text: str) -> list[Sentence]:
    """Return the stripped sentences of a text in order, none longer than `SENTENCE_CHARS_MAX`."""
    found: list[Sentence] = []
    start = position = 0
    while position < len(text):
        end = _next_end(text, position, start)
        sentence = _trimmed(text, start, end)
        if sentence is not None:
            found.append(sentence)
        start = position = end
    return found


def _next_end(text: str, position: int, start: int) -> int:
    limit = min(len(text), start + SENTENCE_CHARS_MAX)
    while True:
        mark = _END.search(text, position, limit)
        if mark is None:
            return _soft_end(text, start, limit)
        if mark.group() == "." and _is_abbreviation(text, start, mark.start()):
            position = mark.end()
            continue
        end = mark.end()
        while end < limit and text[end] in _CLOSERS:
            end += 1
        return end


def _soft_end(text: str, start: int, limit: int) -> int:
    """Return the last word boundary shortly before the limit, or the limit if there is none."""
    if limit == len(text):
        return limit
    space = text.rfind(" ", start + SENTENCE_CHARS_MAX // 2, limit)
    return limit if space < 0 else space + 1


def _is_abbreviation(text: str, start: int, dot: int) -> bool:
    word = text[max(start, dot - 5) : dot].rsplit(" ", 1)[-1].lower()
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha() and word != "i")


def _trimmed(text: str, start: int, end: int) -> Sentence | None:
    piece = text[start:end]
    start += len(piece) - len(piece.lstrip())
    piece = piece.strip()
    if not piece:
        return None
    tail = piece[-_QUESTION_TAIL:]
    return Sentence(text=piece, start=start, end=start + len(piece), asks="?" in tail or "？" in tail)
