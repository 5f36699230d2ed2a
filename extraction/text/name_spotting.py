"""Find names of people, places and works in Chinese and English text."""

import functools
import re
from collections.abc import Iterable
from typing import Any

from extraction.text.chinese import load_dictionary
from extraction.text.lexicon_en import KIN, NOT_NAMES
from extraction.text.lexicon_zh import NOT_NAMES as NOT_NAMES_ZH
from extraction.text.lexicon_zh import SURNAMES
from extraction.text.sentences import Sentence, has_cjk
from schema.entity import EntityType
from schema.ids import name_key
from schema.result_cache import cached_by_chars

NAMES_PER_SENTENCE_MAX = 12
_TITLE = re.compile(r"《([^《》]{1,40})》")
_QUOTED = re.compile(r"[\"“]([A-Z][^\"”]{1,60})[\"”]")
_CAPITALS = re.compile(r"\b[A-Z][\w'-]*[a-z][\w'-]*(?: (?:of (?=[A-Z]))?[A-Z][\w'-]*[a-z][\w'-]*){0,4}")
_LATIN_IN_CHINESE = re.compile(r"(?<![A-Za-z])[A-Z][a-z]{2,}(?: [A-Z][a-z]+){0,2}(?![A-Za-z])")
_AT_PLACE = re.compile(r"\b(?:in|to|from|at|near|visit|visited) $")
_OWNS = re.compile(r"['’]s\b")
# The dictionary lists them as places.
_PEOPLE_ZH = frozenset(("莎士比亚", "哥伦布"))
_TAGS = {"nr": EntityType.PERSON, "ns": EntityType.PLACE, "nt": EntityType.ORGANIZATION}
_ORGANIZATION = re.compile(r"(?:公司|大学|中学|小学|学院|银行|医院|集团|台|局|协会|基金会|研究所|剧院|博物馆)$")
# Longer sentences are cut, because the cost of tagging grows with their length.
_TAGGED_CHARS_MAX = 300
_NAME_WINDOW = 8
_GUESSES_MAX = 6
Found = tuple[str, EntityType | None]


@functools.cache
def _tagger() -> Any:  # jieba has no types
    """Return jieba's part-of-speech tagger; the first call loads its dictionary, which takes about a second."""
    load_dictionary()
    import jieba.posseg

    jieba.posseg.initialize()
    return jieba.posseg


def load_words() -> None:
    """Load the Chinese dictionary; blocks for about a second."""
    _tagger()


def word_tag(word: str) -> str | None:
    """Return the part of speech of a word in jieba's dictionary (`ns`: place), or None if it is not listed."""
    tag: str | None = _tagger().dt.word_tag_tab.get(word)
    return tag


@cached_by_chars(chars_max=200_000, entries_max=2_000)
def _tagged(text: str) -> list[Any]:
    """Tag a short text, guessing unknown words, which is expensive per character."""
    words: list[Any] = _tagger().lcut(text)
    return words


def content_words(text: str) -> list[str]:
    """Return the nouns, verbs, abbreviations and Latin words of a Chinese text, two characters or more, in order."""
    words = _tagger().lcut(text[:_TAGGED_CHARS_MAX], HMM=False)
    return [
        word.word.lower()
        for word in words
        if len(word.word) > 1 and (word.flag[0] in "nvj" or word.flag == "eng") and word.word not in NOT_NAMES_ZH
    ]


def chinese_name_at(text: str, start: int) -> str | None:
    """Return the Chinese personal name that starts at an offset, or None."""
    words = _tagged(text[start : start + _NAME_WINDOW])
    if not words:
        return None
    name: str = words[0].word
    # The tagger takes 换人 and 找人 for names.
    named = words[0].flag in ("nr", "nrt", "nrfg") and 2 <= len(name) <= 4 and name[-1] != "人"
    if named and name not in NOT_NAMES_ZH:
        return name
    return None


def names_in(sentences: Iterable[Sentence], ignore: Iterable[str] = ()) -> list[Found]:
    """Return distinct names in text order.

    Args:
        ignore: names to leave out, such as those of user and agent.
    """
    unwanted = {name_key(name) for name in ignore}
    found: dict[str, Found] = {}
    for sentence in sentences:
        read = _chinese(sentence.text) if has_cjk(sentence.text) else _english(sentence.text)
        for name, kind in read[:NAMES_PER_SENTENCE_MAX]:
            key = name_key(name)
            if key not in unwanted:
                found.setdefault(key, (name, kind))
    return list(found.values())


def _chinese(text: str) -> list[Found]:
    found: list[Found] = [(name.strip(), EntityType.WORK) for name in _TITLE.findall(text)]
    text = _TITLE.sub(" ", text)
    found += [(name, None) for name in _LATIN_IN_CHINESE.findall(text)]
    text = text[:_TAGGED_CHARS_MAX]
    place = 0
    guessed = 0
    read_until = 0
    words = _tagger().lcut(text, HMM=False)
    for number, word in enumerate(words):
        start, place = place, place + len(word.word)
        if start < read_until:
            continue
        name: str | None = word.word
        kind = EntityType.PERSON if word.word in _PEOPLE_ZH else _TAGS.get(word.flag)
        # A single-character surname may begin a name that the dictionary does not list.
        alone = len(word.word) == 1 and word.word in SURNAMES and number + 1 < len(words)
        if alone and guessed < _GUESSES_MAX:
            guessed += 1
            name, kind = chinese_name_at(text, start), EntityType.PERSON
        if name is not None and kind is not None and _is_chinese_name(name, kind):
            found.append((name, kind))
            read_until = start + len(name)
    return found


def _is_chinese_name(word: str, kind: EntityType) -> bool:
    if len(word) < 2 or word in NOT_NAMES_ZH or not has_cjk(word):
        return False
    if kind is EntityType.ORGANIZATION:
        return _ORGANIZATION.search(word) is not None
    if kind is EntityType.PLACE or word in _PEOPLE_ZH:
        return len(word) <= 8
    # The tagger mistakes many unknown words for names: require a surname and no other meaning in the dictionary.
    known = word_tag(word)
    named = word[0] in SURNAMES and len(word) in (2, 3) and known in (None, "nr")
    return named or (word[0] in "小老阿" and len(word) == 2 and known in (None, "nr"))


def _english(text: str) -> list[Found]:
    found: list[Found] = [(name.strip(" ,."), EntityType.WORK) for name in _QUOTED.findall(text)]
    text = _QUOTED.sub(" ", text)
    for match in _CAPITALS.finditer(text):
        words = match.group().split()
        starts_sentence = match.start() == 0 or text[: match.start()].rstrip()[-1:] in '.!?:"“'
        while words and (_plain(words[0]) or (starts_sentence and len(words) == 1)):
            words = words[1:]
            starts_sentence = False
        while words and _plain(words[-1]):
            words = words[:-1]
        if words and len(words[-1]) > 1:
            # "At Sophia's party" names a person or a firm.
            owns = words[-1].endswith("'s") or _OWNS.match(text, match.end()) is not None
            place = not owns and _AT_PLACE.search(text[: match.start()]) is not None
            found.append((" ".join(words).removesuffix("'s").rstrip("-"), EntityType.PLACE if place else None))
    return found


def _plain(word: str) -> bool:
    low = word.lower().removesuffix("'s")
    return low in NOT_NAMES or low in KIN or "'" in low or low.endswith("ing")
