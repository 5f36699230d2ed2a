"""Match a mention to the known entities by spelling: same, new or unsure. Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from extraction.reader import THE_AGENT, THE_USER
from extraction.text.name_forms import EDGE, bare, exact_forms, fold, forms
from extraction.text.toml_files import toml_of
from schema.entity import EntityRef, EntityType
from schema.ids import MemoryId, name_key
from schema.labels import Role

# Whom a word means: the speaker, the listener, the user or the agent.
_MEANT: Final = {
    word: whom
    for whom, words in toml_of("extraction.entities", "words.toml")["persons"].items()
    for word in words.split("|")
}


class MatchKind(StrEnum):
    SAME = "same"
    NEW = "new"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The match of one mention.

    Attributes:
        id: the matching entity (one of several if unsure); None for a new one.
        score: 1 for the same spelling, 0.95 for an alias, 0.9 for a variant, 0.5 when unsure, 0 when new.
    """

    verdict: MatchKind
    id: MemoryId | None = None
    score: float = 0.0


@dataclass(slots=True)
class _Candidates:
    """All candidates with one spelling.

    Attributes:
        lowest: the lowest of their ids.
        shown_as: the node that represents the first of them.
        rivals: the candidates are represented by different nodes, so the spelling is ambiguous.
    """

    lowest: MemoryId
    shown_as: MemoryId
    rivals: bool = False

    def add(self, entity_id: MemoryId, shown_as: MemoryId) -> None:
        self.rivals = self.rivals or shown_as != self.shown_as
        self.lowest = min(self.lowest, entity_id)


class NameIndex:
    """Known entities indexed by spelling; a lookup takes constant time."""

    def __init__(self) -> None:
        self._types: dict[MemoryId, EntityType | None] = {}
        self._aliases: dict[MemoryId, Collection[str]] = {}
        self._by_name: dict[str, _Candidates] = {}
        self._by_alias: dict[str, _Candidates] = {}
        # Capitalised names may be names of people and match in fewer forms: Williams is not William.
        self._capital_exactly: dict[str, _Candidates] = {}
        self._capital: dict[str, _Candidates] = {}
        self._plain: dict[str, _Candidates] = {}

    def put(self, entity: EntityRef, aliases: Sequence[str] = (), root_id: MemoryId | None = None) -> None:
        """Add an entity, or replace the one with the same id; the former spellings of that one stay indexed.

        Args:
            root_id: the entity that represents it; entities merged into the same one do not compete.
        """
        known, shown_as = self._aliases.get(entity.id), root_id or entity.id
        self._types[entity.id], self._aliases[entity.id] = entity.entity_type, frozenset(aliases)
        if known is None:
            _put(self._by_name, name_key(entity.name), entity.id, shown_as)
            self._put_forms(entity.name, entity.id, shown_as)
        for alias in aliases:
            if alias not in (known or ()):
                _put(self._by_alias, name_key(alias), entity.id, shown_as)
                self._put_forms(alias, entity.id, shown_as)

    def match(self, mention: str, entity_type: EntityType | None) -> Match:
        """Return the entity that a mention refers to, independent of insertion order.

        Only spelling decides; similar names (Anna and Ann, 张伟 and 张玮, Room 101 and 102) do not match, because a
        wrong merge is worse than a missed one. Two equally good candidates, or a variant with another type, are unsure.
        """
        key = name_key(mention)
        if meant := self._by_name.get(key):
            score = 1.0
        elif meant := self._by_alias.get(key):
            score = 0.95
        elif meant := self._variants(mention):
            score = 0.9
        else:
            return Match(verdict=MatchKind.NEW)
        typed_apart = entity_type is not None and self._types[meant.lowest] not in (None, entity_type)
        if meant.rivals or (score < 0.95 and typed_apart):
            return Match(verdict=MatchKind.UNSURE, id=meant.lowest, score=0.5)
        return Match(verdict=MatchKind.SAME, id=meant.lowest, score=score)

    def _put_forms(self, name: str, entity_id: MemoryId, shown_as: MemoryId) -> None:
        capital = is_capital(name)
        for form in forms(name):
            _put(self._capital if capital else self._plain, form, entity_id, shown_as)
        for form in exact_forms(name) if capital else ():
            _put(self._capital_exactly, form, entity_id, shown_as)

    def _variants(self, mention: str) -> _Candidates | None:
        """Return the candidates with a name that is the same by `same_name`."""
        if not bare(mention):
            return None
        capital, mine = is_capital(mention), forms(mention)
        capitals = (self._capital_exactly, exact_forms(mention)) if capital else (self._capital, mine)
        looked = ((self._plain, mine), capitals)
        found = [meant for index, keys in looked for key in keys if (meant := index.get(key)) is not None]
        if not found:
            return None
        return _Candidates(
            lowest=min(meant.lowest for meant in found),
            shown_as=found[0].shown_as,
            rivals=any(meant.rivals or meant.shown_as != found[0].shown_as for meant in found),
        )


def _put(index: dict[str, _Candidates], key: str, entity_id: MemoryId, shown_as: MemoryId) -> None:
    if key in index:
        index[key].add(entity_id, shown_as)
    else:
        index[key] = _Candidates(lowest=entity_id, shown_as=shown_as)


def same_name(one: str, other: str) -> bool:
    """Return whether two names have equal keys or share a form (`name_forms`); an exact one if both are capitalised."""
    if name_key(one) == name_key(other):
        return True
    if not bare(one):
        return False
    # Capitalised names may be names of people: Williams is not William.
    if is_capital(one) and is_capital(other):
        return not exact_forms(one).isdisjoint(exact_forms(other))
    return not forms(one).isdisjoint(forms(other))


def person_words(text: str, role: Role = Role.USER) -> str | None:
    """Resolve a word for the user or the agent, such as a pronoun.

    Args:
        text: one word or phrase, such as `me`, `本人`, `assistant`.
        role: role of the speaker; "I" said by an assistant is the agent.

    Returns:
        `THE_USER`, `THE_AGENT`, or None for any other word.
    """
    key = fold(text).strip(EDGE)
    speaker, listener = (THE_AGENT, THE_USER) if role is Role.ASSISTANT else (THE_USER, THE_AGENT)
    persons = {"speaker": speaker, "listener": listener, "user": THE_USER, "agent": THE_AGENT}
    return key if key in (THE_USER, THE_AGENT) else persons.get(_MEANT.get(key, ""))


def is_capital(name: str) -> bool:
    """Return whether the last word of a name begins with a capital letter."""
    return name.strip(EDGE).rpartition(" ")[2][:1].isupper()
