"""Test that names of one entity match and similar names do not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from extraction.entities.matching import Match, MatchKind, NameIndex, person_words, same_name
from extraction.reader import THE_AGENT, THE_USER
from schema.entity import EntityRef, EntityType
from schema.ids import MemoryId, Uri, name_key
from schema.labels import Label, Role

NAMES = st.text(alphabet="abcdeinstxyzANT '’s张伟玮小明同学012", min_size=1, max_size=12)


@dataclass(frozen=True)
class Candidate:
    """A known entity that a mention may refer to."""

    id: MemoryId
    name: str
    aliases: tuple[str, ...] = ()
    entity_type: EntityType | None = None
    root_id: MemoryId | None = None

    @property
    def shown_as(self) -> MemoryId:
        return self.root_id or self.id

    def put_in(self, index: NameIndex) -> None:
        entity = EntityRef(
            id=self.id,
            uri=Uri(f"memory://t/{self.id}"),
            label=Label.ENTITY,
            name=self.name,
            key=name_key(self.name),
            entity_type=self.entity_type,
        )
        index.put(entity, self.aliases, self.root_id)


def a_candidate(name: str, *aliases: str, kind: EntityType | None = None) -> Candidate:
    return Candidate(MemoryId(f"id-{name}"), name, aliases, kind)


def match(mention: str, kind: EntityType | None, candidates: Sequence[Candidate]) -> Match:
    index = NameIndex()
    for one in candidates:
        one.put_in(index)
    return index.match(mention, kind)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("penguin", "penguins"),
        ("The Louvre", "louvre"),
        ("小明", "小明同学"),
        ("Anna's", "Anna"),
        ("ＡＢＣ", "abc"),
        ("strawberries", "strawberry"),
        ("the red foxes", "red fox"),
        ("《小王子》", "小王子"),
    ],
)
def test_spelling_variants_of_one_name_match(one: str, other: str) -> None:
    assert match(one, None, [a_candidate(other)]).verdict is MatchKind.SAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tigran", "Iran"),
        ("Room 101", "Room 102"),
        ("Anna", "Ann"),
        ("张伟", "张玮"),
        ("王先生", "王女士"),
        ("Paris", "Pari"),
        ("Williams", "William"),
        ("bus", "bu"),
        ("Texas", "Texa"),
    ],
)
def test_similar_names_of_different_entities_do_not_match(one: str, other: str) -> None:
    assert match(one, None, [a_candidate(other)]).verdict is MatchKind.NEW


def test_alias_matches_its_entity() -> None:
    found = match("NYC", None, [a_candidate("New York", "NYC"), a_candidate("Boston")])
    assert (found.verdict, found.id) == (MatchKind.SAME, "id-New York")


def test_two_equal_candidates_are_ambiguous() -> None:
    rivals = [a_candidate("Li Wei", "Wei"), a_candidate("Zhang Wei", "Wei")]
    assert match("Wei", None, rivals).verdict is MatchKind.UNSURE


def test_variant_of_another_type_is_ambiguous() -> None:
    known = a_candidate("Apples", kind=EntityType.FOOD)
    assert match("apple", EntityType.ORGANIZATION, [known]).verdict is MatchKind.UNSURE


def test_no_candidates_means_a_new_entity() -> None:
    assert match("Anna", EntityType.PERSON, []).verdict is MatchKind.NEW


@given(NAMES)
def test_every_name_matches_itself(name: str) -> None:
    assert same_name(name, name)


@given(NAMES, NAMES)
def test_name_matching_is_symmetric(one: str, other: str) -> None:
    assert same_name(one, other) == same_name(other, one)


@given(NAMES, st.lists(NAMES, max_size=5, unique=True))
def test_order_of_candidates_does_not_matter(mention: str, names: list[str]) -> None:
    candidates = [a_candidate(name) for name in names]
    assert match(mention, None, candidates) == match(mention, None, list(reversed(candidates)))


SPELLINGS = st.sampled_from(
    ["Anna", "anna's", "the Annas", "Ann", "bus", "buses", "Bus", "berries", "berry", "王伟", "王伟先生", "!"]
)


def by_comparing_all(mention: str, kind: EntityType | None, candidates: Sequence[Candidate]) -> Match:
    """Return the decision of `match` without its index, by comparing every spelling of every candidate."""

    def score(candidate: Candidate) -> float:
        key = name_key(mention)
        if key == name_key(candidate.name):
            return 1.0
        if any(key == name_key(alias) for alias in candidate.aliases):
            return 0.95
        return 0.9 if any(same_name(mention, name) for name in (candidate.name, *candidate.aliases)) else 0.0

    scored = sorted(((score(one), one) for one in candidates), key=lambda pair: (-pair[0], pair[1].id))
    if not scored or scored[0][0] == 0.0:
        return Match(verdict=MatchKind.NEW)
    best, meant = scored[0]
    rivals = [other for found, other in scored if found == best and other.shown_as != meant.shown_as]
    typed_apart = kind is not None and meant.entity_type not in (None, kind)
    if rivals or (best < 0.95 and typed_apart):
        return Match(verdict=MatchKind.UNSURE, id=meant.id, score=0.5)
    return Match(verdict=MatchKind.SAME, id=meant.id, score=best)


KINDS = st.sampled_from((None, EntityType.PERSON, EntityType.FOOD))
NAMED = st.one_of(NAMES, SPELLINGS)


@given(
    NAMED, KINDS, st.lists(st.tuples(NAMED, st.lists(NAMED, max_size=3), KINDS, st.sampled_from("  ab")), max_size=6)
)
def test_index_decides_as_comparing_every_spelling(
    mention: str, kind: EntityType | None, known: list[tuple[str, list[str], EntityType | None, str]]
) -> None:
    candidates = {
        name: replace(a_candidate(name, *aliases, kind=its), root_id=MemoryId(root) if root.strip() else None)
        for name, aliases, its, root in known
    }
    index = NameIndex()
    for one in candidates.values():
        replace(one, aliases=one.aliases[:1]).put_in(index)
    for one in candidates.values():
        one.put_in(index)
    assert index.match(mention, kind) == by_comparing_all(mention, kind, list(candidates.values()))


@pytest.mark.parametrize("word", ["I", "me", "My", "我", "本人", "主人", "用户", "user", "The User"])
def test_words_of_the_user_for_themselves_mean_the_user(word: str) -> None:
    assert person_words(word) == THE_USER


@pytest.mark.parametrize("word", ["the assistant", "the AI", "小助手", "你", "you"])
def test_words_of_a_user_for_the_assistant_mean_the_agent(word: str) -> None:
    assert person_words(word) == THE_AGENT


def test_first_person_of_an_assistant_means_the_agent() -> None:
    assert (person_words("我", Role.ASSISTANT), person_words("你", Role.ASSISTANT)) == (THE_AGENT, THE_USER)
    assert person_words("Anna") is None
