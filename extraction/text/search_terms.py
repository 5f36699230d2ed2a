"""Search terms of a question and their frequencies in texts. Pure.

English, German, Spanish and French terms are stems, with British and American spellings unified; in other languages
of alphabets, case, accents and elided articles do not count. Japanese and Korean are compared by pairs of characters.
Chinese texts are not segmented, which would take longer than the search: the question is split into dictionary words,
character bigrams and single characters, and texts are searched for these as substrings. Single characters also match
synonyms that share them: 画 in 画画 and 绘画.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Final, NamedTuple

from extraction.text.chinese import CJK, HAN, character_pairs, chinese_words
from extraction.text.languages import written_language
from extraction.text.lexicon_en import WORDS, word_set
from extraction.text.other_languages import folded as fold
from extraction.text.other_languages import without_elisions
from extraction.text.stems import AMERICAN, stem
from extraction.text.stop_words import CHINESE_CHARACTERS, ENGLISH_BM25
from schema.result_cache import cached_by_chars

_ASCII_WORD: Final = re.compile(r"[a-z0-9]+")
_HAN: Final = re.compile(rf"[{HAN}]+")
_CJK: Final = re.compile(rf"[{CJK}]+")
_OTHER_WORD: Final = re.compile(rf"[^\W_{CJK}]+")
_POSSESSIVE: Final = re.compile(r"['’]s\b")
# Average length of a Chinese word in characters, punctuation included.
_CHARS_A_WORD: Final = 1.6
_TEXTS_KEPT: Final = 8_192
_CHARS_KEPT: Final = 4_000_000
TERMS_MAX: Final = 96
# For long questions, of which 96 terms would cover only a sentence or two.
_LONG_MAX: Final = 288
# Places of a string in a text of 100,000 characters; more add nothing to where the text is about it.
_PLACES_MAX: Final = 1_000
_ASKING_ZH: Final = re.compile(WORDS["stop_words"]["chinese_asking"])
_NO_TOPIC_ZH: Final = CHINESE_CHARACTERS | word_set(WORDS["stop_words"]["chinese_question"])
_BRITISH: Final = {american: british for british, american in AMERICAN.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Search terms of a question.

    Attributes:
        stems: stems of English words; compared with the stems of texts.
        strings: Chinese words, character bigrams and single characters; matched as substrings.
        times: frequency of each term in the question, the stems first; empty if each occurs once.
        language: that of the stems: "en", "de", "es" or "fr".
    """

    stems: tuple[str, ...] = ()
    strings: tuple[str, ...] = ()
    times: tuple[int, ...] = ()
    language: str = "en"

    def __len__(self) -> int:
        return len(self.stems) + len(self.strings)

    def without(self, stems: Collection[str], name: str) -> "Terms":
        """Return the terms without these stems and without strings that are part of `name`."""
        kept = [one not in stems for one in self.stems] + [one not in name for one in self.strings]
        return Terms(
            stems=tuple(compress(self.stems, kept)),
            strings=tuple(compress(self.strings, kept[len(self.stems) :])),
            times=tuple(compress(self.times, kept)),
            language=self.language,
        )


def stem_language(question: str) -> str:
    """Return "de", "es" or "fr" for a question in German, Spanish or French, else "en"."""
    language = written_language(question)
    return language if language in ("de", "es", "fr") else "en"


def terms_of(question: str, *, characters: bool = False, language: str | None = None) -> Terms:
    """Return the distinct terms of a question in order, without stop words.

    Args:
        characters: include single Chinese characters, and allow more Chinese terms.
        language: that of the stems; by default `stem_language`.
    """
    language = language or stem_language(question)
    folded = question.lower()
    runs = _HAN.findall(folded)
    strings: dict[str, None] = dict.fromkeys(chinese_words(folded)) if runs else {}
    strings |= dict.fromkeys(character_pairs(folded))
    if characters:
        strings |= dict.fromkeys(one for run in runs for one in run if one not in CHINESE_CHARACTERS)
    frequencies = Counter(_stems(folded, language))
    most = _LONG_MAX if characters else TERMS_MAX
    stems, found = tuple(frequencies)[:TERMS_MAX], tuple(strings)[:most]
    times = (*(frequencies[one] for one in stems), *(folded.count(one) for one in found))
    return Terms(stems=stems, strings=found, times=times, language=language)


def topic_terms_of(question: str, *, language: str | None = None) -> Terms:
    """Return the terms that a question is about, without stop words.

    Unlike those of `terms_of`, the Chinese terms are words, also of one character, without those that say which value
    is asked for: of 我的猫叫什么, this is 猫. Pairs of characters such as 猫叫 occur in no answer.

    Args:
        language: that of the stems; by default `stem_language`.
    """
    folded = question.lower()
    strings: dict[str, None] = {}
    for piece in _ASKING_ZH.split(folded):
        strings |= dict.fromkeys(word for word in chinese_words(piece, chars_min=1) if word not in _NO_TOPIC_ZH)
    language = language or stem_language(question)
    stems = dict.fromkeys(_stems(folded, language))
    return Terms(stems=tuple(stems)[:TERMS_MAX], strings=tuple(strings)[:TERMS_MAX], language=language)


def both_spellings(words: Sequence[str]) -> list[str]:
    """Return the words, followed by the British or American variants of those that have one."""
    others = (AMERICAN.get(word) or _BRITISH.get(word) for word in words)
    return list(dict.fromkeys([*words, *(other for other in others if other)]))


class WordCounts(NamedTuple):
    """Words of a text.

    Attributes:
        stems: frequency of each stem of an English word, without stop words.
        length: number of words without stop words; estimated for Chinese.
    """

    stems: Mapping[str, int]
    length: float


@cached_by_chars(chars_max=_CHARS_KEPT, entries_max=_TEXTS_KEPT)
def word_counts(text: str, language: str) -> WordCounts:
    """Count the words of a text, by their stems in a language: that of the terms that are compared with them."""
    folded = text.lower()
    frequencies: Counter[str] = Counter()
    # Stem each word once: a text of 100,000 characters has few distinct ones.
    for word, times in Counter(_words(folded, language)).items():
        for one in _stemmed((word,), language):
            frequencies[one] += times
    paired = 0 if text.isascii() else sum(len(run) for run in _CJK.findall(folded))
    return WordCounts(stems=frequencies, length=frequencies.total() + paired / _CHARS_A_WORD)


def counts(terms: Terms, text: str, words: WordCounts | None = None) -> list[int]:
    """Return how often each term occurs in a text, in the order of `Terms`: stems, then strings.

    Args:
        words: words of the text, if they are counted already.
    """
    stems = (words or word_counts(text, terms.language)).stems if terms.stems else {}
    found = [stems.get(one, 0) for one in terms.stems]
    if terms.strings:
        folded = text.lower()
        found += [folded.count(one) for one in terms.strings]
    return found


def terms_found_in(terms: Terms, text: str) -> list[str]:
    """Return the terms that occur in a text."""
    stems = word_counts(text, terms.language).stems if terms.stems else {}
    found = [one for one in terms.stems if one in stems]
    if terms.strings:
        folded = text.lower()
        found += [one for one in terms.strings if one in folded]
    return found


def occurrences(terms: Terms, text: str) -> list[tuple[int, int]]:
    """Return where the terms occur in a text: (position, index of the term: stems, then strings), in any order.

    Of each term, the first 1,000 places count.
    """
    folded = text.lower()
    found: list[tuple[int, int]] = []
    if terms.stems:
        index = {one: at for at, one in enumerate(terms.stems)}
        named = {
            word: at
            for word in set(_OTHER_WORD.findall(folded))
            for at in map(index.get, _stems(word, terms.language))
            if at is not None
        }
        left = dict.fromkeys(named.values(), _PLACES_MAX)
        for match in _OTHER_WORD.finditer(folded) if named else ():
            if (at := named.get(match.group())) is not None and left[at]:
                found.append((match.start(), at))
                left[at] -= 1
    for at, string in enumerate(terms.strings, start=len(terms.stems)):
        position = -1
        for _ in range(_PLACES_MAX):
            if (position := folded.find(string, position + 1)) < 0:
                break
            found.append((position, at))
    return found


def _stems(folded: str, language: str) -> Sequence[str]:
    return _stemmed(_words(folded, language), language)


def _words(folded: str, language: str) -> Sequence[str]:
    plain = _without_apostrophes(folded)
    if language != "en":
        return _OTHER_WORD.findall(plain)
    if plain.isascii():
        return _ASCII_WORD.findall(plain)
    # Word by word, because most texts that are not ASCII are Chinese, or English with a dash.
    return [word if word.isascii() else fold(word) for word in _OTHER_WORD.findall(plain)]


def _stemmed(words: Iterable[str], language: str) -> Sequence[str]:
    if language != "en":
        # Accents tell endings apart: vivía, vivo.
        return [fold(stem(word, language)) for word in words if word not in ENGLISH_BM25]
    return [stem(AMERICAN.get(word, word)) if word.isascii() else word for word in words if word not in ENGLISH_BM25]


def _without_apostrophes(text: str) -> str:
    if "'" not in text and "’" not in text:
        return text
    return without_elisions(_POSSESSIVE.sub("", text)).replace("'", "").replace("’", "")
