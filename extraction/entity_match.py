"""Whether a mention names an entity that is already known: same, new or unsure (pure)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from extraction.name_forms import EDGE, all_forms, bare, exact_forms, fold, forms
from extraction.reading import THE_AGENT, THE_USER
from extraction.speaker_words import AGENT_WORDS, FIRST_PERSON, SECOND_PERSON, USER_WORDS
from schema.entity import EntityType
from schema.ids import MemoryId, name_key
from schema.labels import Role


class Verdict(StrEnum):
    """What matching decided."""

    SAME = "same"
    NEW = "new"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A known entity that may be the one mentioned.

    Attributes:
        stands_for_it: what stands for it on the map when it was merged; candidates with the same one are no rivals.
    """

    id: MemoryId
    name: str
    aliases: tuple[str, ...] = ()
    entity_type: EntityType | None = None
    stands_for_it: MemoryId | None = None

    @property
    def shown_as(self) -> MemoryId:
        """The node of the map that this candidate is."""
        return self.stands_for_it or self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The decision on one mention.

    Attributes:
        id: the entity that is meant, or may be meant; None when the mention is new.
        score: 1 for the same spelling, 0.95 for an alias, 0.9 for a variant, 0.5 when unsure, 0 when new.
    """

    verdict: Verdict
    id: MemoryId | None = None
    score: float = 0.0


class Shelf:
    """Candidates sorted by their spellings, so that a mention is compared with the few it may mean, not with all."""

    def __init__(self, candidates: Iterable[Candidate] = ()) -> None:
        self._by_id: dict[MemoryId, Candidate] = {}
        self._by_form: dict[str, set[MemoryId]] = {}
        for candidate in candidates:
            self.put(candidate)

    def put(self, candidate: Candidate) -> None:
        """Adds a candidate, or replaces the one with its id, whose spellings it must keep."""
        self._by_id[candidate.id] = candidate
        for name in (candidate.name, *candidate.aliases):
            for form in all_forms(name):
                self._by_form.setdefault(form, set()).add(candidate.id)

    def near(self, mention: str) -> list[Candidate]:
        """Every candidate that `match` could give for this mention, ordered by id."""
        found = all_forms(mention)
        return [self._by_id[name] for name in sorted(set().union(*(self._by_form.get(form, ()) for form in found)))]


def match(mention: str, entity_type: EntityType | None, candidates: Sequence[Candidate]) -> Match:
    """Finds the entity a mention means; the order of the candidates does not matter.

    Only spelling decides "same"; look-alikes (Anna and Ann, 张伟 and 张玮, Room 101 and 102) stay apart, since a wrong
    merge is worse than a missing one. Two candidates that fit equally well, or a variant of another type, are unsure.
    """
    scored = sorted(
        ((_score(mention, candidate), candidate) for candidate in candidates), key=lambda pair: (-pair[0], pair[1].id)
    )
    if not scored or scored[0][0] == 0.0:
        return Match(verdict=Verdict.NEW)
    best, candidate = scored[0]
    rivals = [other for score, other in scored if score == best and other.shown_as != candidate.shown_as]
    typed_apart = entity_type is not None and candidate.entity_type not in (None, entity_type)
    if rivals or (best < 0.95 and typed_apart):
        return Match(verdict=Verdict.UNSURE, id=candidate.id, score=0.5)
    return Match(verdict=Verdict.SAME, id=candidate.id, score=best)


def same_name(one: str, other: str) -> bool:
    """Whether two spellings name one thing: equal keys, or equal in a form (`name_forms`)."""
    if name_key(one) == name_key(other):
        return True
    if not bare(one):
        return False
    # Where both are capitalised they may be names of people: Williams is not William.
    if _is_capital(one) and _is_capital(other):
        return not exact_forms(one).isdisjoint(exact_forms(other))
    return not forms(one).isdisjoint(forms(other))


def person_words(text: str, role: Role = Role.USER) -> str | None:
    """Who a word for a person means.

    Args:
        text: one word or phrase, such as `me`, `本人`, `assistant`.
        role: who says it: "I" of an assistant is the assistant.

    Returns:
        `THE_USER`, `THE_AGENT`, or None for any other word.
    """
    key = fold(text).strip(EDGE)
    speaker, listener = (THE_AGENT, THE_USER) if role is Role.ASSISTANT else (THE_USER, THE_AGENT)
    if key in FIRST_PERSON:
        return speaker
    if key in SECOND_PERSON:
        return listener
    if key == THE_USER or key in USER_WORDS:
        return THE_USER
    return THE_AGENT if key == THE_AGENT or key in AGENT_WORDS else None


def _score(mention: str, candidate: Candidate) -> float:
    key = name_key(mention)
    if key == name_key(candidate.name):
        return 1.0
    if any(key == name_key(alias) for alias in candidate.aliases):
        return 0.95
    if any(same_name(mention, name) for name in (candidate.name, *candidate.aliases)):
        return 0.9
    return 0.0


def _is_capital(name: str) -> bool:
    return name.strip(EDGE).rpartition(" ")[2][:1].isupper()
