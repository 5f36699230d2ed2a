"""Find entities that may be duplicates, by similar names and common neighbours. Pure.

Blocking keys select the pairs to compare; each pair gets a score and reasons, and people decide.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from extraction.entities.matching import is_capital, same_name
from extraction.entities.nicknames import full_names
from extraction.text.chinese import HAN
from extraction.text.name_forms import bare, exact_forms
from schema.ids import MemoryId
from schema.result_cache import cached_by_chars

SCORE_MIN: Final = 0.4
_NAME_WEIGHT: Final = 0.7
# A blocking key shared by more entities does not discriminate, and would make every pair of them a candidate.
_BUCKET_MAX: Final = 40
# Shorter names are not compared by edit distance.
_LETTERS_MIN: Final = 4
_NUMBERS = re.compile(r"\d+")
_HAN = re.compile(rf"^[{HAN}]+$")
# `bare` keeps these before a surname; "Mr Smith" and "Mrs Smith" differ.
_TITLES: Final = frozenset(("mr", "mrs", "ms", "miss"))
# First words of names of places, whose point may be taken for the end of a sentence.
_ABBREVIATIONS: Final = frozenset(("st", "mt", "ft"))
# A name after one of these is what a phrase is about: "a job at Philips" is not Philips, nor is 去了飞利浦.
_GOVERNING: Final = frozenset(
    ("about", "after", "at", "before", "by", "for", "from", "in", "into", "near", "of", "on", "to", "with", "without")
)
_GOVERNING_ZH: Final = frozenset("在去到给和跟与对向从往是了着过有为")
# Longer names are descriptions or sentences, which name something in passing.
_WORDS_MAX: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedEntity:
    """An entity that may be the same as another.

    Attributes:
        members: its id and those of the entities merged into it.
        ties: its facts as (predicate and relation, id of the other node).
    """

    id: MemoryId
    user_id: str
    name: str
    aliases: tuple[str, ...] = ()
    entity_type: str | None = None
    members: frozenset[str] = frozenset()
    ties: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicatePair:
    """Two entities of one user that may be duplicates.

    Attributes:
        score: probability that they are the same, 0 to 1.
        reasons: the reasons, as free text.
    """

    first: ComparedEntity
    second: ComparedEntity
    score: float
    reasons: tuple[str, ...]


def duplicate_pairs(entities: Sequence[ComparedEntity]) -> list[DuplicatePair]:
    """Return possible duplicates, best score first; the order of `entities` does not matter."""
    by_id = {entity.id: entity for entity in entities}
    names = {entity.id: _distinct_names(entity) for entity in entities}
    pairs = []
    for a_id, b_id in sorted(_pairs_to_compare(entities)):
        pair = _compare(by_id[a_id], by_id[b_id], names[a_id], names[b_id])
        if pair is not None:
            pairs.append(pair)
    return sorted(pairs, key=lambda pair: (-pair.score, pair.first.id, pair.second.id))


def without_rejected(pairs: Sequence[DuplicatePair], rejected: Collection[frozenset[str]]) -> list[DuplicatePair]:
    """Return the pairs that no person declared different.

    Args:
        rejected: pairs of entity ids.
    """
    rejected_with: dict[str, set[str]] = {}
    for two in rejected:
        for one in two:
            rejected_with.setdefault(one, set()).update(two - {one})
    return [pair for pair in pairs if not _is_rejected(pair, rejected_with)]


def _is_rejected(pair: DuplicatePair, rejected_with: Mapping[str, Collection[str]]) -> bool:
    if not rejected_with:
        return False
    first, second = pair.first.members | {pair.first.id}, pair.second.members | {pair.second.id}
    return any(not second.isdisjoint(rejected_with.get(one, ())) for one in first)


def _pairs_to_compare(entities: Iterable[ComparedEntity]) -> set[tuple[MemoryId, MemoryId]]:
    """Return the pairs of one user's entities that share a blocking key."""
    buckets: dict[tuple[str, str], set[MemoryId]] = {}
    for one in entities:
        for key in _blocking_keys(one):
            buckets.setdefault((one.user_id, key), set()).add(one.id)
    small = (ids for ids in buckets.values() if 1 < len(ids) <= _BUCKET_MAX)
    return {pair for ids in small for pair in combinations(sorted(ids), 2)}


def _blocking_keys(one: ComparedEntity) -> Iterator[str]:
    """Yield the blocking keys of an entity's names.

    Any two names with a positive `_name_similarity` must share a key; other pairs are never compared.
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
        if _HAN.match(key):
            yield from (f"ends {key[place:]}" for place in range(max(len(key) - 3, 0), len(key) - 1))
            yield from (f"= {key[0]}{char}" for char in key[1:] if len(key) >= _LETTERS_MIN)


def _distinct_names(one: ComparedEntity) -> list[str]:
    """Return an entity's names, without those that `_name_similarity` cannot distinguish from an earlier one."""
    kept: dict[tuple[str, frozenset[str], bool], str] = {}
    for name in (one.name, *one.aliases):
        kept.setdefault((bare(name), exact_forms(name), is_capital(name)), name)
    return list(kept.values())


def _compare(
    one: ComparedEntity, other: ComparedEntity, our_names: Sequence[str], their_names: Sequence[str]
) -> DuplicatePair | None:
    if one.entity_type and other.entity_type and one.entity_type != other.entity_type:
        return None
    # First, because nearly all pairs end here.
    similarity, reason = max(
        (_name_similarity(a, b) for a in our_names for b in their_names), key=lambda found: found[0]
    )
    if similarity == 0.0:
        return None
    # Two entities with a fact between them are different.
    if any(name == other.id for _, name in one.ties) or any(name == one.id for _, name in other.ties):
        return None
    common = one.ties & other.ties
    shared_ties = len(common) / (len(one.ties | other.ties) + 1)
    score = round(_NAME_WEIGHT * similarity + (1 - _NAME_WEIGHT) * shared_ties, 4)
    if score < SCORE_MIN:
        return None
    reasons = (reason, f"{len(common)} ties in common") if common else (reason,)
    return DuplicatePair(first=one, second=other, score=score, reasons=reasons)


@cached_by_chars(chars_max=10_000_000, entries_max=50_000)
def _name_similarity(one: str, other: str) -> tuple[float, str]:
    """Return the similarity of two names, 0 to 1, and the reason."""
    a, b = sorted((bare(one), bare(other)), key=lambda key: (len(key), key))
    if not a or _NUMBERS.findall(a) != _NUMBERS.findall(b):
        return 0.0, ""
    if same_name(one, other):
        return 0.95, f"{one} and {other} are spellings of one name"
    short, long = a.split(), b.split()
    if {short[0], long[0]} & _TITLES:
        return 0.0, ""
    if _is_part(short, long) or _ends_chinese(a, b):
        return 0.65, f"{one} and {other}: one name is a part of the other"
    if " " not in a and len(a) > 1 and a == _initials(b):
        return 0.65, f"{one} and {other}: one is the other's initials"
    if _short_for(short, long):
        return 0.65, f"{one} and {other}: one may be short for the other"
    if _HAN.match(a) and len(a) == 2 and len(b) >= _LETTERS_MIN and a[0] == b[0] and a[1] in b[1:]:
        return 0.6, f"{one} and {other}: one may be short for the other"
    if len(a) >= _LETTERS_MIN and _one_letter_apart(a, b):
        return 0.5, f"{one} and {other} differ in one letter"
    return 0.0, ""


def _is_part(short: Sequence[str], long: Sequence[str]) -> bool:
    """Return whether one name begins or ends the other (Anna, Anna Smith), which is a name and not a sentence.

    Parts under three letters do not count, except those that end at the point of an abbreviation (St, St. Mary's).
    """
    if not len(short) < len(long) <= _WORDS_MAX or (max(map(len, short)) < 3 and short[0] not in _ABBREVIATIONS):
        return False
    size = len(short)
    ends = list(long[-size:]) == list(short) and long[-size - 1] not in _GOVERNING
    return ends or list(long[:size]) == list(short)


def _ends_chinese(short: str, long: str) -> bool:
    """Return whether one Chinese name ends the other (小红, 王小红), which is a name and not a sentence."""
    is_end = len(short) > 1 and _HAN.match(short) is not None and long.endswith(short)
    return is_end and (len(short) == len(long) or long[-len(short) - 1] not in _GOVERNING_ZH)


def _initials(key: str) -> str:
    return "".join(word[0] for word in key.split())


def _short_for(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether first names share a full form (Bob and Robert) and surnames agree or one is missing."""
    if one[1:] != other[1:] and one[1:] and other[1:]:
        return False
    return bool(full_names().get(one[0], frozenset()) & full_names().get(other[0], frozenset()))


def _one_letter_apart(short: str, long: str) -> bool:
    """Return whether the edit distance is at most one."""
    if len(long) - len(short) > 1:
        return False
    same = next((place for place in range(len(short)) if short[place] != long[place]), len(short))
    rest = short[same:] if len(short) < len(long) else short[same + 1 :]
    return rest == long[same + 1 :]
