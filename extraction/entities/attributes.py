"""Find the attribute that a fact states of its subject, such as its home or phone number. Pure.

Two facts of one subject with the same attribute are values of the same thing. Some attributes have one value at a time
(`schema/attributes.toml`), so that a newer value ends the older; for the others, only a statement of a change does.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, NamedTuple

from extraction.text.chinese import HAN
from extraction.text.lexicon_en import word_set
from extraction.text.name_forms import simplified_characters
from extraction.text.stems import AMERICAN, stem
from extraction.text.toml_files import toml_of
from schema.ids import name_key

_CACHE_ENTRIES: Final = 10_000
_HAN: Final = re.compile(rf"[{HAN}]")
_WORD: Final = re.compile(r"[^\W_][\w.+#'’-]*")
_DIGIT: Final = re.compile(r"[0-9零一二三四五六七八九十百千万两]")
_WORDS: Final = {
    key: word_set(words) for key, words in toml_of("extraction.entities", "words.toml")["relations"].items()
}
_FILLERS, _PREPOSITIONS, _UNITS = _WORDS["fillers"], _WORDS["prepositions"], _WORDS["units"]
_USES: Final = stem("uses")
_PROJECT: Final = stem("project")
_CHANGES_TO: Final = frozenset(map(stem, ("switched", "moved", "migrated", "adopted")))
_USE_ZH: Final = re.compile(r"(?:项目)?(?:使用|采用|改用|选用|用|换成|迁移到|切换到)")
_FILLERS_ZH: Final = re.compile(r"当前|目前|现在|如今|用户|项目|[的是为]|\s")
_EVENT_ZH: Final = re.compile(r"了|过(?!敏)")
_FAVORITE: Final = frozenset({"favorite", "preferred", "best-loved"})
_FAVORITE_ZH: Final = ("最喜欢", "最爱", "首选", "偏好")
_UNITS_ZH: Final = re.compile(r"毫克|微克|毫升|单位|早上|晚上|每天|每日|每晚|每早|一次|两次|[克片粒颗次日天早晚]")
# Attributes whose value is a date: with another object, such as "tax return", the fact does not state the value.
_DATE_WORDS: Final = frozenset({"date", "deadlin", "due"})


class Attribute(NamedTuple):
    """An attribute of a subject.

    Attributes:
        key: the same for all wordings of it.
        one: a subject has one value at a time, so that a newer value ends the older.
    """

    key: str
    one: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """The content of `attributes.toml`, indexed by stems of phrases.

    A phrase maps to the key of an attribute with one value at a time, to None for an attribute that may have several
    (section `open`), or to `_MANY` if it states no attribute.
    """

    phrases: dict[tuple[str, ...], str | None]
    bags: dict[frozenset[str], str | None]
    chinese: dict[str, str | None]
    amounts: frozenset[frozenset[str] | str]
    nouns_one: frozenset[str]
    nouns_many: frozenset[str]
    suffixes_one: tuple[str, ...]
    suffixes_many: tuple[str, ...]
    verbs_one: frozenset[str]
    past: frozenset[str]
    participles: frozenset[str]
    other_time: frozenset[str]
    other_time_zh: tuple[str, ...]
    categories: dict[str, str]


_MANY: Final = ""


def attribute_of(predicate: str, relation: str | None, object_name: str | None) -> Attribute | None:
    """Return the attribute that a fact states; None if its subject may have many values of it.

    Args:
        object_name: determines the category of a used thing and the medication of an amount; None if unknown.
    """
    if relation is None or predicate not in ("RELATES_TO", "PREFERS", "CARES_ABOUT"):
        return None
    found = _attribute(name_key(relation.replace("_", " ")), name_key(object_name or ""))
    if found is None:
        return None
    dated = not _DATE_WORDS.isdisjoint(found.key.split(" "))
    if (predicate == "CARES_ABOUT" and not dated) or (dated and found.one and not _DIGIT.search(object_name or "")):
        return None
    return found


@lru_cache(maxsize=_CACHE_ENTRIES)
def names_favorite(relation: str | None) -> bool:
    """Return whether a relation calls its object a favorite: "favorite colour", 最喜欢的颜色."""
    plain = name_key((relation or "").replace("_", " "))
    return _words_of(plain)[:1] in ([word] for word in _FAVORITE) or plain.startswith(_FAVORITE_ZH)


def value_key(name: str) -> str:
    """Return a key that all spellings of a value share, such as a phone number with and without spaces."""
    plain = re.sub(r"[\W_]+", "", name_key(name)).translate(simplified_characters())
    return plain or name_key(name)


@lru_cache(maxsize=_CACHE_ENTRIES)
def _attribute(relation: str, object_name: str) -> Attribute | None:
    return _chinese(relation, object_name) if _HAN.search(relation) else _english(relation, object_name)


def _english(relation: str, object_name: str) -> Attribute | None:
    table, words = _table(), _words_of(relation)
    is_new = len(words) > 1 and words[0] == "new"
    words = words[1:] if is_new else words
    if not words:
        return None
    stems = tuple(map(stem, words))
    content = frozenset(stems) - _PREPOSITIONS - {_PROJECT}
    meaning = content - {_USES} or content
    if (category := _category(object_name)) and meaning <= {_USES} | _CHANGES_TO:
        return Attribute(category, one=stems[0] in _CHANGES_TO)
    if amount := _amount(meaning, object_name):
        return amount
    if _describes_event(words) or meaning <= {_USES}:
        return None
    if stems in table.phrases:
        return _known(table.phrases[stems], stems)
    # "works at" and "works as" differ by the preposition alone; "uses as database" and "database" do not.
    is_verb = len(meaning) == 1 and _USES not in stems and not _PREPOSITIONS.isdisjoint(stems)
    if not is_verb and meaning in table.bags:
        return _known(table.bags[meaning], stems)
    key = " ".join(stems if is_verb else sorted(meaning))
    return _unlisted(key, words, stems, is_new=is_new)


def _unlisted(key: str, words: list[str], stems: tuple[str, ...], *, is_new: bool) -> Attribute | None:
    """Return the attribute of a relation that is not in the table, from its first and last word."""
    table = _table()
    if words[0] in _FAVORITE:
        return None if _is_plural(words[-1]) else Attribute(f"favorite {' '.join(sorted(stems[1:]))}", one=True)
    if words[0] in table.other_time or words[0].startswith("ex-") or words[0] in ("has", "have"):
        return None
    if stems[-1] in table.nouns_many or (stems[-1] not in table.nouns_one and is_new):
        return None
    one = (stems[-1] in table.nouns_one and not _is_plural(words[-1])) or stems[0] in table.verbs_one
    return Attribute(key, one=one)


def _words_of(text: str) -> list[str]:
    """Return the words of a phrase in American spelling, without fillers and possessives."""
    words = (word.removesuffix("'s").removesuffix("’s") for word in _WORD.findall(text))
    return [AMERICAN.get(word, word) for word in words if word not in _FILLERS]


def _chinese(relation: str, object_name: str) -> Attribute | None:
    table = _table()
    plain = _FILLERS_ZH.sub("", relation.translate(simplified_characters()))
    if not plain:
        return None
    if _USE_ZH.fullmatch(plain) and (category := _category(object_name)):
        return Attribute(category, one=plain.startswith(("改", "换", "迁", "切")))
    if amount := _amount(plain, object_name):
        return amount
    for one in (plain, _USE_ZH.sub("", plain, count=1), plain.removeprefix("新")):
        if one in table.chinese:
            return _known(table.chinese[one], (one,))
    if plain.startswith(_FAVORITE_ZH):
        return Attribute(plain, one=True)
    if plain.startswith(table.other_time_zh) or _EVENT_ZH.search(plain) or plain.endswith(table.suffixes_many):
        return None
    return Attribute(plain, one=plain.endswith(table.suffixes_one))


def _known(key: str | None, stems: tuple[str, ...]) -> Attribute | None:
    if key is None:
        return Attribute(" ".join(stems), one=False)
    return None if key == _MANY else Attribute(key, one=True)


def _amount(meaning: frozenset[str] | str, object_name: str) -> Attribute | None:
    """Return the attribute of a dose, such as "amount of ibuprofen" for "20 mg ibuprofen"; None without an amount."""
    if meaning not in _table().amounts or not _DIGIT.search(object_name):
        return None
    text = re.sub(r"[0-9.,/]+", " ", _UNITS_ZH.sub(" ", object_name))
    head = [word for word in _WORD.findall(text) if word not in _UNITS]
    return Attribute(f"amount of {' '.join(head)}", one=True) if head else None


def _category(object_name: str) -> str | None:
    """Return the category of a used thing, such as `database` of "Postgres 16"."""
    words = object_name.split(" ")
    names = (object_name, " ".join(words[:2]), words[0], re.sub(r"[\d.]+$", "", words[0]))
    return next((found for name in names if (found := _table().categories.get(name))), None)


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "hours"))


def _describes_event(words: list[str]) -> bool:
    """Return whether a relation describes an event, such as "hiked" or "book club finished", but not "owned by"."""
    table = _table()
    if words[0] in ("was", "were", "had"):
        return True
    verb = words[1] if words[0] in ("has", "have") and len(words) > 1 else words[0]
    if verb in table.participles or "by" in words:
        return False
    return verb in table.past or _is_past(verb) or (words[-1] != verb and _is_past(words[-1]))


def _is_past(word: str) -> bool:
    return len(word) > 3 and word.endswith("ed") and not word.endswith("eed")


@cache
def _table() -> _Table:
    rows = toml_of("schema", "attributes.toml")
    phrases: dict[tuple[str, ...], str | None] = {}
    bags: dict[frozenset[str], set[str | None]] = {}
    chinese: dict[str, str | None] = {}
    participles: set[str] = set()
    listed: list[tuple[str | None, str]] = [(key, text) for key, text in rows["one"].items()]
    listed += [(_MANY, rows["many"]["phrases"]), (_MANY, rows["many"]["zh"]), (None, rows["open"]["phrases"])]
    for key, text in listed:
        for phrase in text.split("|"):
            if _HAN.search(phrase):
                chinese.setdefault(_FILLERS_ZH.sub("", phrase), key)
                continue
            stems = tuple(map(stem, _words_of(name_key(phrase))))
            phrases.setdefault(stems, key)
            participles |= {word for word in name_key(phrase).split(" ") if key and _is_past(word)}
            bag = frozenset(stems) - _PREPOSITIONS - {_USES, _PROJECT}
            if bag and (len(bag) > 1 or _USES in stems or _PREPOSITIONS.isdisjoint(stems)):
                bags.setdefault(bag, set()).add(key)
    return _Table(
        phrases=phrases,
        bags={bag: next(iter(keys)) for bag, keys in bags.items() if len(keys) == 1},
        chinese=chinese,
        amounts=frozenset(_amount_relation(phrase) for phrase in rows["amounts"]["phrases"].split("|")),
        nouns_one=_stems(rows["nouns_one"]["en"]),
        nouns_many=_stems(rows["nouns_many"]["en"]),
        suffixes_one=tuple(rows["nouns_one"]["zh"].split("|")),
        suffixes_many=tuple(rows["nouns_many"]["zh"].split("|")),
        verbs_one=_stems(rows["verbs_one"]["en"]),
        past=frozenset(rows["past"]["en"].split("|")),
        participles=frozenset(participles),
        other_time=frozenset(rows["other_time"]["en"].split("|")),
        other_time_zh=tuple(rows["other_time"]["zh"].split("|")),
        categories={name: category for category, text in rows["categories"].items() for name in text.split("|")},
    )


def _amount_relation(phrase: str) -> frozenset[str] | str:
    if _HAN.search(phrase):
        return phrase
    return frozenset(stem(word) for word in _WORD.findall(phrase)) - _PREPOSITIONS


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(AMERICAN.get(word, word)) for phrase in text.split("|") if (word := phrase.split(" ")[-1]))
