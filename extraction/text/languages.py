"""Tell the language of a text, for the choice of a model. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal, cast

from extraction.text.chinese import HAN
from extraction.text.lexicon_en import WORDS, word_set
from extraction.text.name_forms import simplified_characters
from extraction.text.sentences import Sentence, has_cjk, split_sentences

Tagged = Literal["de", "es", "fr", "ja"]

# A word of Latin letters, or a run of others; parts of names with digits are none.
_LATIN: Final = r"a-z\u00df-\u024f"
_WORD: Final = re.compile(rf"(?<![0-9_{_LATIN}])[{_LATIN}]+(?![0-9_{_LATIN}])|[^\W\d_{_LATIN}]+")
_LATIN_WORD: Final = re.compile(rf"[{_LATIN}]+")
_LISTS: Final = WORDS["languages"]
_ENGLISH: Final = word_set(_LISTS["english"]) | word_set(_LISTS["english_facts"])
_OTHER: Final = word_set(" ".join(_LISTS["not_english"].values())) - _ENGLISH
# English text of this many words has a frequent one, or one with such an ending.
_WORDS_WITHOUT: Final = 7
_ENGLISH_ENDING: Final = re.compile(r"[a-z]{2}(?:ing|ed|ly|ght|th|sh|ck|ness|ful)\Z")


def is_english(text: str) -> bool:
    """Return whether a text is English, or gives no evidence of another language.

    Each word of another alphabet counts against it, and so do frequent words of other languages; a word with letters
    that English lacks counts half, because names have them. Chinese and Japanese characters are half a word each.
    Seven words without a frequent English one or an English ending are not English.
    """
    english, other = 0.0, 0.0
    words = _WORD.findall(text.casefold())
    for word in words:
        if word[0] >= "\u0370":
            other += len(word) / 2 if word[0] >= "\u2e80" else 1
        elif word in _OTHER:
            other += 1
        elif word in _ENGLISH:
            english += 1
        elif not word.isascii():
            other += 0.5
    if not english and len(words) >= _WORDS_WITHOUT and not any(map(_ENGLISH_ENDING.search, words)):
        return False
    return other < 1 or english >= other


# Frequent words of German, Spanish and French, and letters that decide between two languages.
FREQUENT_WORDS: Final = {code: word_set(words) for code, words in _LISTS["told"].items()}
_LETTERS: Final[dict[str, str]] = _LISTS["letters"]
_OTHERS: Final = tuple(map(word_set, _LISTS["similar"].values()))
# Words of English that others share count for it, too.
_ENGLISH_TOO: Final = _ENGLISH | word_set(_LISTS["english_too"])
_HAN: Final = re.compile(f"[{HAN}]")
_KANA: Final = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_CJK_CHARACTER: Final = re.compile(f"[{HAN}\u3041-\u3096\u30a1-\u30fa]")
# Share of kana in Japanese text.
_KANA_SHARE_MIN: Final = 0.2


def is_english_or_chinese(text: str) -> bool:
    """Return whether a text is English, or has Chinese characters and is not Japanese."""
    return tagged_language(text) != "ja" if _HAN.search(text) else is_english(text)


def tagged_language(text: str) -> Tagged | None:
    """Return the language of a text in German, Spanish, French or Japanese; None if it is in another one or unclear.

    Of frequent words, a text must have more of its language than of English, and at least as many as of any other;
    among German, Spanish and French letters decide if it has as many.
    """
    kana = len(_KANA.findall(text))
    if kana and kana >= _KANA_SHARE_MIN * len(_CJK_CHARACTER.findall(text)):
        return "ja"
    if has_cjk(text):
        return None
    words = _WORD.findall(text.casefold())
    (most, language), (second, _) = _most_frequent(text.casefold(), words)[:2]
    others = (sum(word in own for word in words) for own in _OTHERS)
    english = sum(word in _ENGLISH_TOO for word in words)
    is_told = most > second and most[0] > english and most[0] >= max(others)
    return cast("Tagged", language) if is_told else None


# A part of a text in another script has at least this many words, or Chinese or Japanese characters.
_WORDS_APART, _CHARACTERS_APART = 3, 5


def parts_by_script(text: str) -> list[str]:
    """Return a text with sentences in Latin and in Chinese or Japanese script once for each, else as it is.

    Each is as long as the text, with spaces for the other sentences: "I moved to Graz. 我姐姐住在上海。" is read
    as two texts are. Few words in the other script, such as names, are left.
    """
    if not _CJK_CHARACTER.search(text):
        return [text]
    parts: dict[bool, list[Sentence]] = {True: [], False: []}
    characters_apart = words_apart = 0
    for sentence in split_sentences(text):
        characters = len(_CJK_CHARACTER.findall(sentence.text))
        words = len(_LATIN_WORD.findall(sentence.text.casefold()))
        is_cjk = characters > 0 and characters >= 2 * words
        parts[is_cjk].append(sentence)
        characters_apart += characters if is_cjk else 0
        words_apart += 0 if characters else words
    is_mixed = characters_apart >= _CHARACTERS_APART and words_apart >= _WORDS_APART
    return [_only(text, own) for own in parts.values()] if is_mixed else [text]


def _only(text: str, sentences: Sequence[Sentence]) -> str:
    chars = [char if char.isspace() else " " for char in text]
    for one in sentences:
        chars[one.start : one.end] = one.text
    return "".join(chars)


def written_language(text: str) -> str:
    """Return "en", "zh", "ja", "de", "es" or "fr": the language of a text, or the nearest of them."""
    if has_cjk(text) or _KANA.search(text):
        return "ja" if tagged_language(text) == "ja" else "zh"
    words = _WORD.findall(text.casefold())
    most, language = _most_frequent(text.casefold(), words)[0]
    return language if most[0] > sum(word in _ENGLISH_TOO for word in words) else "en"


def main_language(texts: Iterable[str]) -> str:
    """Return the language in which most of the texts are written, as `written_language`; "en" without any."""
    counted = Counter(map(written_language, texts))
    return max(counted, key=counted.__getitem__, default="en")


def _most_frequent(folded: str, words: Sequence[str]) -> list[tuple[tuple[int, int], str]]:
    """Return the languages with the number of their frequent words and of their letters in a text, the most first."""
    counts = (
        ((sum(word in own for word in words), sum(folded.count(letter) for letter in _LETTERS[language])), language)
        for language, own in FREQUENT_WORDS.items()
    )
    return sorted(counts, reverse=True)


def is_english_or_chinese_beside_names(text: str) -> bool:
    """Return whether a text is English or Chinese as it stands, or without the names of other languages in it."""
    without_names = (word for word in text.split() if word.isascii() or not word[0].isupper())
    return is_english_or_chinese(text) or is_english_or_chinese(" ".join(without_names))


def in_simplified_characters(text: str) -> str:
    """Return a text with simplified instead of traditional Chinese characters, unless it is Japanese."""
    return text if _KANA.search(text) else text.translate(simplified_characters())
