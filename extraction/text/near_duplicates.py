"""Detect near-duplicate sentences by SimHash and longest common substring. Pure, O(n log n)."""

import hashlib
import re
import unicodedata
from itertools import groupby
from typing import Final

from extraction.text.sentences import has_cjk
from schema.result_cache import cached_by_chars
from schema.tuning import tuning

# SimHashes of near duplicates differ in at most three of 64 bits, or fewer (`schema.tuning`); the longest common
# substring then confirms. Statements of a profile are short and similar in form, so more of them must be common.
HAMMING_MAX: Final = 3
COMPARED_CHARS_MAX: Final = 2_000

_BITS: Final = 64
# Pigeonhole principle: if at most three bits differ, at least one of four bands is equal.
_BANDS: Final = HAMMING_MAX + 1
_BAND_BITS: Final = _BITS // _BANDS
_NUMBERS = re.compile(r"\d+(?:[.,:]\d+)*|[零一二三四五六七八九十百千万亿两〇]+")
_NOT = re.compile(r"\b(?:not|no|never|nor|neither|without|stopped|cannot|\w+n't)\b|[不没沒无無未非别別勿]")
_WORD_GRAM, _CJK_GRAM = 3, 2


def plain(text: str) -> str:
    """Normalize a text: fold case and width, drop punctuation, collapse spaces."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    kept = "".join(char if char.isalnum() or char in "'+#" else " " for char in folded)
    return " ".join(kept.split())


@cached_by_chars(chars_max=4_000_000, entries_max=8_192)
def simhash(text: str) -> int:
    """Return the 64-bit SimHash of a text over bigrams of Chinese characters and trigrams of others."""
    votes = [0] * _BITS
    for gram in _grams(plain(text)):
        bits = int.from_bytes(hashlib.blake2b(gram.encode(), digest_size=_BITS // 8).digest())
        for place in range(_BITS):
            votes[place] += 1 if bits >> place & 1 else -1
    return sum(1 << place for place, vote in enumerate(votes) if vote > 0)


def hamming(one: int, other: int) -> int:
    """Return the number of bits in which two hashes differ."""
    return (one ^ other).bit_count()


def bands(value: int) -> list[str]:
    """Return the lookup keys of a hash; two hashes within `HAMMING_MAX` bits share at least one."""
    mask = (1 << _BAND_BITS) - 1
    return [f"{band}{value >> band * _BAND_BITS & mask:04x}" for band in range(_BANDS)]


def common_part(one: str, other: str) -> float:
    """Return the length of the longest common substring relative to the longer text, 0 to 1."""
    longer = max(len(one), len(other))
    if not longer:
        return 1.0
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _share_run(one, other, middle) else (low, middle - 1)
    return low / longer


def near_duplicates(one: str, other: str, *, common_min: float | None = None) -> bool:
    """Return whether two sentences are near duplicates.

    Args:
        common_min: share of the longer one that their longest common substring must exceed; by default the setting.

    Numbers and negations must be equal, because a single digit or "not" changes the meaning.
    """
    left, right = plain(one), plain(other)
    if left == right:
        return _numbers_and_negations(one) == _numbers_and_negations(other)
    return (
        # Finding common substrings takes quadratic time; longer texts are compared for equality only.
        max(len(left), len(right)) <= COMPARED_CHARS_MAX
        and _numbers_and_negations(one) == _numbers_and_negations(other)
        and hamming(simhash(one), simhash(other)) <= tuning().simhash_bits_max
        and common_part(left, right) > (tuning().common_part_min if common_min is None else common_min)
    )


def likeness(one: str, other: str) -> float:
    """Return the Jaccard similarity of the n-grams of two sentences, 0 to 1; for ranking only."""
    left, right = _gram_set(one), _gram_set(other)
    either = len(left | right)
    return len(left & right) / either if either else 1.0


# Bounded by characters, because a set takes about a hundred bytes for each.
@cached_by_chars(chars_max=500_000, entries_max=8_192)
def _gram_set(text: str) -> frozenset[str]:
    return frozenset(_grams(plain(text)))


def _grams(text: str) -> list[str]:
    grams: list[str] = []
    for chinese, chars in groupby(text, key=has_cjk):
        run = "".join(chars)
        if chinese:
            grams += [run[i : i + _CJK_GRAM] for i in range(max(len(run) - _CJK_GRAM + 1, 1))]
        else:
            padded = f" {run.strip()} "
            grams += [padded[i : i + _WORD_GRAM] for i in range(max(len(padded) - _WORD_GRAM + 1, 1))]
    return grams


def _share_run(one: str, other: str, length: int) -> bool:
    runs = {one[i : i + length] for i in range(len(one) - length + 1)}
    return any(other[i : i + length] in runs for i in range(len(other) - length + 1))


def _numbers_and_negations(text: str) -> tuple[list[str], list[str]]:
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    return sorted(_NUMBERS.findall(folded)), sorted(_NOT.findall(folded))
