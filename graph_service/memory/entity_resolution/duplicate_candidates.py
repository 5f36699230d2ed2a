"""Entities that may be one: names and aliases that are alike, and what both are tied to. Pure; decides nothing."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from extraction.entities.matching import is_capital, same_name
from extraction.entities.nicknames import full_names
from extraction.text.name_forms import bare, exact_forms
from schema.ids import MemoryId
from schema.kept_results import kept_by_chars

SCORE_MIN: Final = 0.4
_NAMES_SHARE: Final = 0.7
# A word that so many names have tells nothing, and would make every pair of them a candidate.
_BUCKET_MAX: Final = 40
# Of shorter names one letter is too large a part.
_LETTERS_MIN: Final = 4
_NUMBERS = re.compile(r"\d+")
_CJK = re.compile(r"^[\u3400-\u9fff]+$")
# An aunt is no uncle, whatever their names; `bare` leaves these before a surname.
_FORMS_OF_ADDRESS: Final = frozenset(("mr", "mrs", "ms", "miss"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Portrait:
    """What is compared of an entity.

    Attributes:
        members: ids of the entities that it stands for, and its own.
        ties: what it is tied to, and how: (predicate and relation, id).
    """

    id: MemoryId
    user_id: str
    name: str
    aliases: tuple[str, ...] = ()
    entity_type: str | None = None
    members: frozenset[str] = frozenset()
    ties: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAlike:
    """Two entities that may be one.

    Attributes:
        score: 0 to 1.
        reasons: in words, for people.
    """

    first: Portrait
    second: Portrait
    score: float
    reasons: tuple[str, ...]


def look_alikes(portraits: Sequence[Portrait], apart: Collection[frozenset[str]]) -> list[LookAlike]:
    """Return pairs that may be one, the likeliest first; the order of the portraits does not matter.

    Args:
        apart: pairs of ids that somebody said are two.
    """
    by_id = {portrait.id: portrait for portrait in portraits}
    spelled = {portrait.id: _told_apart(portrait) for portrait in portraits}
    kept_from: dict[str, set[str]] = {}
    for two in apart:
        for one in two:
            kept_from.setdefault(one, set()).update(two - {one})
    found = []
    for a_id, b_id in sorted(_near(portraits)):
        pair = _compared(by_id[a_id], by_id[b_id], spelled[a_id], spelled[b_id])
        if pair is not None and not _said_apart(pair, kept_from):
            found.append(pair)
    return sorted(found, key=lambda pair: (-pair.score, pair.first.id, pair.second.id))


def _said_apart(pair: LookAlike, kept_from: Mapping[str, Collection[str]]) -> bool:
    if not kept_from:
        return False
    ours, theirs = pair.first.members | {pair.first.id}, pair.second.members | {pair.second.id}
    return any(not theirs.isdisjoint(kept_from.get(one, ())) for one in ours)


def _near(portraits: Iterable[Portrait]) -> set[tuple[MemoryId, MemoryId]]:
    """Return pairs of one user that share a mark; few of all there are."""
    buckets: dict[tuple[str, str], set[MemoryId]] = {}
    for one in portraits:
        for mark in _marks(one):
            buckets.setdefault((one.user_id, mark), set()).add(one.id)
    small = (ids for ids in buckets.values() if 1 < len(ids) <= _BUCKET_MAX)
    return {pair for ids in small for pair in combinations(sorted(ids), 2)}


def _marks(one: Portrait) -> Iterator[str]:
    """Yield what two names share that `_names_alike` may call alike; each pair it does not meet here is never
    compared.
    """
    for key in dict.fromkeys(bare(name) for name in (one.name, *one.aliases)):
        words = key.split()
        yield f"= {_initials(key) if len(words) > 1 else key}"
        yield from words
        for word in words[:1]:
            yield from (f"short for {full}" for full in full_names().get(word, ()))
        yield f"nearly {key}"
        if len(key) >= _LETTERS_MIN:
            yield from (f"nearly {key[:place]}{key[place + 1 :]}" for place in range(len(key)))
        if _CJK.match(key):
            yield from (f"ends {key[place:]}" for place in range(max(len(key) - 3, 0), len(key) - 1))
            yield from (f"= {key[0]}{char}" for char in key[1:] if len(key) >= _LETTERS_MIN)


def _told_apart(one: Portrait) -> list[str]:
    """Return the names of an entity without those that `_names_alike` cannot tell from one before them."""
    kept: dict[tuple[str, frozenset[str], bool], str] = {}
    for name in (one.name, *one.aliases):
        kept.setdefault((bare(name), exact_forms(name), is_capital(name)), name)
    return list(kept.values())


def _compared(one: Portrait, other: Portrait, ours: Sequence[str], theirs: Sequence[str]) -> LookAlike | None:
    if one.entity_type and other.entity_type and one.entity_type != other.entity_type:
        return None
    # Whoever is tied to somebody is somebody else.
    if any(name == other.id for _, name in one.ties) or any(name == one.id for _, name in other.ties):
        return None
    names = max((_names_alike(a, b) for a in ours for b in theirs), key=lambda found: found[0])
    common = one.ties & other.ties
    around = len(common) / (len(one.ties | other.ties) + 1)
    score = round(_NAMES_SHARE * names[0] + (1 - _NAMES_SHARE) * around, 4)
    if names[0] == 0.0 or score < SCORE_MIN:
        return None
    reasons = (names[1], f"{len(common)} ties in common") if common else (names[1],)
    return LookAlike(first=one, second=other, score=score, reasons=reasons)


@kept_by_chars(chars_max=10_000_000, entries_max=50_000)
def _names_alike(one: str, other: str) -> tuple[float, str]:
    """Return how alike two names are, 0 to 1, and why."""
    a, b = sorted((bare(one), bare(other)), key=lambda key: (len(key), key))
    if not a or _NUMBERS.findall(a) != _NUMBERS.findall(b):
        return 0.0, ""
    if same_name(one, other):
        return 0.95, f"{one} and {other} are spellings of one name"
    short, long = a.split(), b.split()
    if {short[0], long[0]} & _FORMS_OF_ADDRESS:
        return 0.0, ""
    if _is_part(short, long) or (_CJK.match(a) and len(a) > 1 and b.endswith(a)):
        return 0.65, f"{one} and {other}: one name is a part of the other"
    if " " not in a and len(a) > 1 and a == _initials(b):
        return 0.65, f"{one} and {other}: one is the other's initials"
    if _short_for(short, long):
        return 0.65, f"{one} and {other}: one may be short for the other"
    if _CJK.match(a) and len(a) == 2 and len(b) >= _LETTERS_MIN and a[0] == b[0] and a[1] in b[1:]:
        return 0.6, f"{one} and {other}: one may be short for the other"
    if len(a) >= _LETTERS_MIN and _one_letter_apart(a, b):
        return 0.5, f"{one} and {other} differ in one letter"
    return 0.0, ""


def _is_part(short: Sequence[str], long: Sequence[str]) -> bool:
    """Anna and Anna Smith; a single letter or a number is no name."""
    if not len(short) < len(long) or max(map(len, short)) < 3:
        return False
    size = len(short)
    return list(long[:size]) == list(short) or list(long[-size:]) == list(short)


def _initials(key: str) -> str:
    return "".join(word[0] for word in key.split())


def _short_for(one: Sequence[str], other: Sequence[str]) -> bool:
    """Bob and Robert, Bob Smith and Robert Smith."""
    if one[1:] != other[1:] and one[1:] and other[1:]:
        return False
    return bool(full_names().get(one[0], frozenset()) & full_names().get(other[0], frozenset()))


def _one_letter_apart(short: str, long: str) -> bool:
    """Return one letter more, less or other."""
    if len(long) - len(short) > 1:
        return False
    same = next((place for place in range(len(short)) if short[place] != long[place]), len(short))
    rest = short[same:] if len(short) < len(long) else short[same + 1 :]
    return rest == long[same + 1 :]
