"""Normal forms of names: two names are equal when they share a form. Pure.

Punctuation, case, width, accents, script (traditional or simplified), articles, possessives and titles may differ;
digits, letters and characters may not: "iPhone 12" and "iPhone 13", "Ann" and "Anna", 张伟 and 张玮 never share a form.
"""

import functools
import re
import unicodedata
from collections.abc import Collection
from typing import Final

from extraction.text.chinese import HAN, table_lines
from extraction.text.lexicon_en import WORDS
from extraction.text.stems import AMERICAN, COMPOUNDS, PLURAL_CHARS_MIN, ROMAN, SINGULARS, UMLAUTS, singular
from schema.ids import name_key
from schema.result_cache import cached_by_chars

# Articles and first-person possessives; "his sister" keeps its possessive because it is not "my sister".
_ARTICLE = re.compile(r"^(?:the|a|an|my|our) (?=\S)")
_POSSESSIVE = re.compile(r"(?:'s|')$")
_OF_ZH = re.compile(rf"(?<=[{HAN}]{{2}})的$")
EDGE: Final = " \t.,;:!?\"'“”‘’`「」『』《》〈〉()（）[]【】。，！？、；：…"
_MARKS = re.compile(r"[《》〈〉「」『』“”\"]")
_APOSTROPHES = str.maketrans({"’": "'", "‘": "'", "ʼ": "'", "`": "'", "´": "'"})
_DASHES = re.compile(r"\s*[-‐‑‒–—_·・•]\s*")
# One or two letters before a dash belong to the following word: Wi-Fi, e-mail, X-ray.
_SHORT_PART = re.compile(r"(?<![^\W_])([a-z]{1,2})[-‐‑](?=[a-z])")
_INITIALS = re.compile(r"(?<![^\W_])([a-z])\.\s*(?=[a-z](?:\.|\b))|(?<![^\W_])([a-z]) (?=[a-z](?![^\W_]))")
_DOT_AFTER_WORD = re.compile(r"(?<=[^\W\d_])\.(?=\s|$)")
_LETTER_DIGIT = re.compile(r"(?<=[a-z]) (?=\d)|(?<=\d) (?=[a-z]+$)")
_CJK_GAP = re.compile(rf"(?<=[{HAN}]) (?=[{HAN}\da-z])|(?<=[\da-z]) (?=[{HAN}])")
_LATIN_EXTRA = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th"})
_FORMS: Final = WORDS["name_forms"]
_MINE_ZH: Final = re.compile(_FORMS["mine_zh"])
_TITLES: Final[dict[str, str]] = _FORMS["titles"]
_SUFFIX_ZH: Final[list[str]] = _FORMS["chinese_titles"].split()
# Synonyms for relatives of whom a person has only one.
_KIN: Final = {word: name for name, words in _FORMS["kin"].items() for word in words.split()}
_HAN: Final = re.compile(rf"[{HAN}]")


@functools.cache
def simplified_characters() -> dict[int, str]:
    """Return the translation table from traditional to simplified characters."""
    pairs = (pair for line in table_lines("simplified.txt") for pair in line.split())
    return {ord(pair[0]): pair[1] for pair in pairs}


def fold(name: str) -> str:
    """Fold case, width, accents and traditional characters of a name; keep punctuation and words."""
    key = name_key(name).translate(_APOSTROPHES)
    if key.isascii():
        return key
    # Only Latin letters lose their accents; in other scripts an accent makes a different letter.
    parts = [_plain_letter(char) for char in key]
    return "".join(parts).translate(_LATIN_EXTRA).translate(simplified_characters())


def _plain_letter(char: str) -> str:
    if char.isascii() or char > "\u1eff":
        return char
    base = unicodedata.normalize("NFD", char)
    return base[0] if base[0].isascii() else char


@cached_by_chars(chars_max=2_000_000, entries_max=20_000)
def bare(name: str) -> str:
    """Return the folded name without quotation marks, article, possessive and form of address; dashes are spaces."""
    key = _MARKS.sub("", fold(name)).strip(EDGE)
    key = _ARTICLE.sub("", key, count=1)
    key = _MINE_ZH.sub("", key, count=1)
    key = _POSSESSIVE.sub("", key).strip(EDGE)
    key = _OF_ZH.sub("", key)
    key = _SHORT_PART.sub(r"\1", key)
    key = _dashes_to_spaces(key)
    key = _INITIALS.sub(lambda found: found.group(1) or found.group(2), key)
    key = _DOT_AFTER_WORD.sub("", key).replace("'", "")
    key = _LETTER_DIGIT.sub("", _CJK_GAP.sub("", " ".join(key.replace(" & ", " and ").split())))
    return _KIN.get(key) or _without_title(_canonical_spelling(key))


def _canonical_spelling(key: str) -> str:
    """Replace variant spellings and compounds in a name by a canonical one."""
    if not key.isascii():
        return key
    words = (COMPOUNDS.get(word, AMERICAN.get(word, word)) for word in key.split(" "))
    return " ".join(words).replace("_", " ")


def _dashes_to_spaces(key: str) -> str:
    """Replace dashes by spaces, except between digits."""

    def kept(found: re.Match[str]) -> str:
        in_number = key[: found.start()][-1:].isdigit() and key[found.end() :][:1].isdigit()
        return found.group() if in_number else " "

    return _DASHES.sub(kept, key)


def _without_title(key: str) -> str:
    """Drop a title if two words of the name remain; "Mr Smith" and "Mrs Smith" stay different."""
    first, _, rest = key.partition(" ")
    if first in _TITLES and rest:
        return rest if " " in rest else f"{_TITLES[first] or first} {rest}"
    for suffix in _SUFFIX_ZH:
        # A single character left over would be a surname, which does not identify a person.
        if key.endswith(suffix) and len(key) - len(suffix) >= 2 and _HAN.match(key):
            return key[: -len(suffix)]
    return key


def exact_forms(name: str) -> frozenset[str]:
    """Return the bare name, also with umlauts spelled out (Müller, Mueller) and with a Roman numeral as digits."""
    plain = bare(name)
    head, _, last = plain.rpartition(" ")
    numbered = (bare(f"{head} {ROMAN[last]}"),) if head and last in ROMAN else ()
    folded = name_key(name)
    spelled = folded.translate(UMLAUTS)
    return frozenset((plain, *numbered, *((bare(spelled),) if spelled != folded else ())))


def forms(name: str) -> frozenset[str]:
    """Return the exact forms and, for a plural, its likely singular."""
    plain = bare(name)
    head, _, last = plain.rpartition(" ")
    if _HAN.search(last) or not last.isalpha() or len(last) < PLURAL_CHARS_MIN:
        return exact_forms(name)
    lead = f"{head} " if head else ""
    one = SINGULARS.get(last) or singular(last)
    return exact_forms(name) | {lead + one} if one else exact_forms(name)


def all_forms(name: str) -> frozenset[str]:
    """Return every form by which a name is looked up: `forms`, and its key, which keeps punctuation."""
    return forms(name) | {name_key(name)}


_ADDRESS_ZH: Final[list[str]] = _FORMS["chinese_address"].split()


def address_among(name: str, keys: Collection[str]) -> str | None:
    """Return the key that addresses a person with this Chinese name, such as 周老师 or 老周; None if there is none."""
    if not 2 <= len(name) <= 4 or not all(map(_HAN.match, name)):
        return None
    surname = name[0]
    forms_of_address = (*(surname + title for title in _ADDRESS_ZH), *(lead + surname for lead in "老小阿大"))
    return next((form for form in forms_of_address if form in keys), None)
